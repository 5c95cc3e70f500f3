"""Servers that the tests of remote storage start: stores with faults, services of credentials, a proxy, moto, nginx.

All listen on loopback, on a port that the kernel chooses, and keep every request for the test to look at.
Those of our own are threads of the test; the others are processes that die with it."""
