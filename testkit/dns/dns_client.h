#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "dns/message/types.h"

namespace proa::testkit {

using Message = std::vector<uint8_t>;

// A query with recursion desired; `udp_size` 0: without EDNS.
Message make_query(uint16_t id, std::string_view name, dns::Type type, uint16_t udp_size = 0);

// Sends it by UDP and waits for an answer; empty if there is none in time.
Message ask_udp(const IpAddress& server, uint16_t port, const Message& query,
                int milliseconds = 5000);
// Sends all of them in one connection before it reads; empty answers are missing.
std::vector<Message> ask_tcp(const IpAddress& server, uint16_t port,
                             const std::vector<Message>& queries, int milliseconds = 5000);

}  // namespace proa::testkit
