#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dns/message/query.h"
#include "dns/message/writer.h"

namespace proa::testkit {

// A query of a client, by UDP and without EDNS.
dns::Query client_query(std::string_view name, dns::Type type = dns::Type::kA);

inline dns::ByteSpan bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// A message in one line: "NXDOMAIN tc; www.example. A; www.example. 30 CNAME web.example.; ...".
std::string text_of(dns::ByteSpan message);

// Builds what a server answers to a query. Records are added in the order of the sections.
class TestReply {
 public:
  // REQUIRES: `query` is well formed.
  explicit TestReply(std::string_view query);
  // To what was not asked.
  TestReply(uint16_t id, std::string_view name, dns::Type type);

  TestReply& address(std::string_view name, std::string_view address, uint32_t ttl = 60);
  TestReply& cname(std::string_view name, std::string_view target, uint32_t ttl = 60);
  TestReply& soa(std::string_view zone, uint32_t ttl = 60, uint32_t minimum = 60);
  TestReply& extra_address(std::string_view name, std::string_view address);
  TestReply& authority_ns(std::string_view zone, std::string_view server);

  std::string bytes(dns::Rcode rcode = dns::Rcode::kNoError, bool truncated = false);
  const dns::Question& question() const { return query_.question; }
  uint16_t id() const { return query_.id; }

 private:
  static dns::Name name_of(std::string_view text);

  dns::Query query_;
  const std::unique_ptr<uint8_t[]> buffer_;
  dns::Writer writer_;
};

}  // namespace proa::testkit
