/* Decimal numbers, the same in every locale. */
#ifndef JN_BASE_PARSE_NUMBER_H
#define JN_BASE_PARSE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Reads all of a decimal number such as -1.5e3, correctly rounded; infinite if it is too large. False if it is none. */
bool jn_number_read(const char *text, size_t length, double *value);

#endif
