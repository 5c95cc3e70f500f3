/* base/hardening.h - exceptions for code where -Dhardening was measured to cost more than it gives.
 *
 * TFR_UNSET marks a variable that is not initialised; -ftrivial-auto-var-init=zero sets every
 * other variable on the stack to zero.  It is for variables of an inner loop that are written
 * before they are read on every path.  TFR_NO_CANARY marks a function that runs for each record
 * and has no array on its stack, so that nothing in it can overflow into its return address. */
#ifndef TFR_BASE_HARDENING_H
#define TFR_BASE_HARDENING_H

#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define TFR_UNSET __attribute__((uninitialized))
#endif
#if __has_attribute(no_stack_protector)
#define TFR_NO_CANARY __attribute__((no_stack_protector))
#endif
#endif
#ifndef TFR_UNSET
#define TFR_UNSET
#endif
#ifndef TFR_NO_CANARY
#define TFR_NO_CANARY
#endif

#endif
