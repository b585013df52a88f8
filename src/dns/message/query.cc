#include "dns/message/query.h"

namespace proa::dns {
namespace query {

// OPT and perhaps a TSIG or SIG(0); nobody has reason to send more.
constexpr int kMostAdditionals = 4;

// Whether the options (code, length, data) fill the record exactly.
bool has_whole_options(ByteSpan data) {
  constexpr size_t kFixed = 4;
  while (!data.empty()) {
    if (data.size() < kFixed) return false;
    const size_t size = kFixed + read16(data.data() + 2);
    if (data.size() < size) return false;
    data = data.subspan(size);
  }
  return true;
}

}  // namespace query

QueryFault parse_query(ByteSpan message, Query& query) {
  Reader reader(message);
  const auto header = reader.header();
  if (!header || header->response) return QueryFault::kDrop;
  query.id = header->id;
  query.opcode = header->opcode;
  query.recursion_desired = header->recursion_desired;
  query.checking_disabled = header->checking_disabled;
  query.has_edns = false;
  query.dnssec_ok = false;
  query.udp_size = kPlainUdpSize;
  if (header->opcode != 0) return QueryFault::kNotImplemented;
  if (header->questions != 1 || header->answers != 0 || header->authorities > 1 ||
      header->additionals > query::kMostAdditionals) {
    return QueryFault::kFormatError;
  }
  if (!reader.question(query.question)) return QueryFault::kFormatError;
  // An IXFR says there what it has.
  if (header->authorities == 1 && !reader.skip_record()) return QueryFault::kFormatError;
  Edns edns;
  for (int i = 0; i < header->additionals; ++i) {
    Record record;
    if (!reader.record(record)) return QueryFault::kFormatError;
    if (record.type != Type::kOpt) continue;
    if (query.has_edns || !record.name.view().is_root() || !query::has_whole_options(record.data)) {
      return QueryFault::kFormatError;
    }
    query.has_edns = true;
    edns = read_edns(record);
  }
  query.udp_size = edns.udp_size;
  query.dnssec_ok = edns.dnssec_ok;
  return edns.version == 0 ? QueryFault::kNone : QueryFault::kBadVersion;
}

}  // namespace proa::dns
