// DNS messages, in both directions: reading ends within the bytes, an answer is well formed, and
// what was read and written again reads the same.

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "dns/cluster/lookup.h"
#include "dns/message/text.h"
#include "dns/message/writer.h"

namespace proa::dns {
namespace dns_fuzz {

bool well_formed(ByteSpan message) {
  Reader reader(message);
  const auto header = reader.header();
  if (!header) return false;
  Question question;
  for (int i = 0; i < header->questions; ++i) {
    if (!reader.question(question)) return false;
  }
  Record record;
  for (int i = 0; i < header->answers + header->authorities + header->additionals; ++i) {
    if (!reader.record(record)) return false;
  }
  return reader.at_end();
}

ClusterState& cluster() {
  static ClusterState state(*Zone::make({}));
  WriterLock lock(state.mutex);
  if (state.index.synced()) return state;
  state.index.set_namespace("n", true);
  state.index.set_service(
      "n", "s",
      ServiceFacts{.kind = ServiceFacts::Kind::kHeadless, .ports = {{.name = "p", .port = 1}}});
  SliceFacts slice{.ports = {{.name = "p", .port = 1}}};
  for (uint8_t i = 0; i < 100; ++i) {
    IpAddress address = *parse_ip("10.0.0.0");
    address.bytes[15] = i;
    slice.endpoints.push_back({.address = address, .hostname = i < 50 ? "h" : ""});
  }
  state.index.set_slice("n", "s", "s-1", slice);
  state.index.set_synced();
  return state;
}

void answer(ByteSpan message, bool tcp) {
  Query query;
  query.tcp = tcp;
  if (parse_query(message, query) != QueryFault::kNone) return;
  std::vector<uint8_t> buffer(query.limit());
  Writer writer(buffer, query.limit());
  writer.begin_response(query);
  const ClusterState& state = cluster();
  Name external;
  {
    ReaderLock lock(state.mutex);
    static_cast<void>(lookup(state.index, state.zone,
                             {.question = query.question, .rotation = query.id}, writer, external));
  }
  const size_t size = writer.finish(Rcode::kNoError);
  CHECK(size <= query.limit());
  CHECK(well_formed({buffer.data(), size}));
}

// Every record of a message that somebody else sent, written again.
void rewrite(ByteSpan message) {
  Reader reader(message);
  const auto header = reader.header();
  if (!header) return;
  Question question;
  for (int i = 0; i < header->questions; ++i) {
    if (!reader.question(question)) return;
    CHECK(Name::parse(question.name.str()) == question.name);
  }
  Query query;
  query.tcp = true;
  query.question = question;
  std::vector<uint8_t> buffer(kMostMessage);
  Writer writer(buffer, buffer.size());
  writer.begin_response(query);
  Record record;
  for (int i = 0; i < header->answers + header->authorities && reader.record(record); ++i) {
    static_cast<void>(writer.copy(Section::kAnswer, reader, record, record.ttl));
  }
  CHECK(well_formed({buffer.data(), writer.finish(Rcode::kNoError)}));
}

}  // namespace dns_fuzz
}  // namespace proa::dns

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::dns;
  const ByteSpan message(data, size);
  dns_fuzz::answer(message, false);
  dns_fuzz::answer(message, true);
  dns_fuzz::rewrite(message);
  static_cast<void>(message_text(message));
  return 0;
}
