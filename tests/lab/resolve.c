// Resolves names as programs do, by getaddrinfo() of the C library that it is compiled with. Prints a line for each:
//   web web.default.svc.cluster.local 10.96.12.34      the name that was asked for, the canonical one, all addresses
//   missing not-found
//
//   resolve NAME ...
#define _GNU_SOURCE  // EAI_NODATA of glibc
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostAddresses = 16 };

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static const char *failure(int code) {
  // One library tells a name without addresses from one that does not exist, and the other does not.
  if (code == EAI_NONAME || code == EAI_NODATA) return "not-found";
  if (code == EAI_AGAIN) return "try-again";
  return gai_strerror(code);
}

static void resolve(const char *name) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_CANONNAME};
  struct addrinfo *found = NULL;
  const int code = getaddrinfo(name, "80", &hints, &found);
  if (code != 0) {
    printf("%s %s\n", name, failure(code));
    return;
  }
  printf("%s %s", name, found->ai_canonname != NULL ? found->ai_canonname : "no-canonical-name");
  char texts[kMostAddresses][INET6_ADDRSTRLEN];
  size_t count = 0;
  for (const struct addrinfo *one = found; one != NULL && count < kMostAddresses; one = one->ai_next) {
    getnameinfo(one->ai_addr, one->ai_addrlen, texts[count++], INET6_ADDRSTRLEN, NULL, 0, NI_NUMERICHOST);
  }
  // Each library has an order of its own.
  qsort(texts, count, sizeof texts[0], compare);
  for (size_t i = 0; i < count; ++i) printf(" %s", texts[i]);
  printf("\n");
  freeaddrinfo(found);
}

int main(int count, char **words) {
  for (int i = 1; i < count; ++i) resolve(words[i]);
  return 0;
}
