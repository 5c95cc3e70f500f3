/* base/hardening.h - TFR_NO_CANARY, an exception for code where -Dhardening was measured to cost more
 * than it gives: a function that runs for each record and has no array on its stack, so that nothing
 * in it can overflow into its return address. */
#ifndef TFR_BASE_HARDENING_H
#define TFR_BASE_HARDENING_H

#ifdef __has_attribute
#if __has_attribute(no_stack_protector)
#define TFR_NO_CANARY __attribute__((no_stack_protector))
#endif
#endif
#ifndef TFR_NO_CANARY
#define TFR_NO_CANARY
#endif

#endif
