#include "dns/server/query_log.h"

#include "base/log.h"

namespace proa::dns {
namespace query_log {

const Log kLog{"dns"};

// A node with little to do is logged completely; a flood as one line in ten milliseconds.
constexpr uint32_t kBurst = 1000;
constexpr Duration kEvery = std::chrono::milliseconds(10);

}  // namespace query_log

QueryLog::QueryLog(const Clock& clock) : limit_(clock, query_log::kBurst, query_log::kEvery) {}

void QueryLog::write(const Query& query, const IpAddress& client, ByteSpan response,
                     Duration took) {
  if (!enabled() || response.size() < kHeaderSize) return;
  const auto omitted = limit_.next();
  if (!omitted) return;
  const auto rcode = static_cast<Rcode>(response[3] & 0xfU);
  query_log::kLog.info("query", {{"client", client.str()},
                                 {"protocol", query.tcp ? "tcp" : "udp"},
                                 {"type", type_name(query.question.type)},
                                 {"name", query.question.name.str()},
                                 {"rcode", rcode_name(rcode)},
                                 {"bytes", response.size()},
                                 {"seconds", std::chrono::duration<double>(took).count()},
                                 {"omitted", *omitted}});
}

}  // namespace proa::dns
