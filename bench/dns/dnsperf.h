#pragma once

#include <string>

#include "base/net/ip_address.h"

namespace proa::dns_bench {

struct Run {
  double rate = 0;  // answers a second
  double answers = 0;
  double lost = 0;
};

// A file for dnsperf that asks for the address of every Service once.
void write_queries(const std::string& path);

// One thread with 8 sockets and 1,000 queries under way. `rate`: queries a second; 0: as many as
// are answered.
Run dnsperf(const IpAddress& server, int port, const std::string& queries, int seconds, int rate);

}  // namespace proa::dns_bench
