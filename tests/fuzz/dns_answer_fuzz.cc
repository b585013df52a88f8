// Messages of upstream resolvers: what is accepted answers the question, has no names in it that
// nobody asked for, and becomes responses within the limits of any client.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "dns/forward/cache.h"
#include "dns/forward/check_answer.h"

namespace {

using namespace proa;
using namespace proa::dns;

// What would have been sent if this were the answer; the first bit of the flags is a choice.
std::optional<Sent> question_of(ByteSpan message) {
  Reader reader(message);
  const auto header = reader.header();
  Sent sent;
  if (!header || !reader.question(sent.question)) return std::nullopt;
  sent.id = header->id;
  sent.dnssec_ok = header->checking_disabled;
  sent.edns = header->authentic_data;
  return sent;
}

void check_response(ByteSpan response, const Query& query, const Answer& answer) {
  CHECK(response.size() <= query.limit());
  Reader reader(response);
  const auto header = reader.header();
  CHECK(header && header->id == query.id && header->response && header->questions == 1);
  CHECK(header->rcode == answer.rcode());
  Question question;
  CHECK(reader.question(question) && question.name.wire() == query.question.name.wire());
  Record record;
  for (int i = 0; i < header->answers; ++i) {
    CHECK(reader.record(record));
    CHECK(record.ttl == 9);
    CHECK(record.klass == query.question.klass);
  }
  for (int i = 0; i < header->authorities; ++i) {
    CHECK(reader.record(record));
    CHECK(query.dnssec_ok || record.type == Type::kSoa);
  }
  CHECK(header->additionals == (query.has_edns ? 1 : 0));
  for (int i = 0; i < header->additionals; ++i) {
    CHECK(reader.record(record) && record.type == Type::kOpt);
  }
  CHECK(reader.at_end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::array<uint8_t, kMostMessage> scratch;
  static std::array<uint8_t, kMostMessage> out;
  const ByteSpan message(data, size);
  const auto sent = question_of(message);
  if (!sent) {
    Sent other;
    CHECK(check_answer(message, other, scratch).fault != AnswerFault::kTruncated);
    return 0;
  }
  Sent other = *sent;
  ++other.id;
  CHECK(check_answer(message, other, scratch).fault == AnswerFault::kNotOurs);
  for (const bool tcp : {false, true}) {
    Sent asked = *sent;
    asked.tcp = tcp;
    const CheckedAnswer checked = check_answer(message, asked, scratch);
    CHECK(checked.answer.has_value() == (checked.fault == AnswerFault::kNone));
    if (!checked.answer) continue;
    const Answer& answer = *checked.answer;
    CHECK(answer.is_about(asked.question));
    Query query;
    query.id = 0x4242;
    query.question = asked.question;
    query.dnssec_ok = asked.dnssec_ok;
    for (const bool edns : {false, true}) {
      query.has_edns = edns;
      query.udp_size = kOurUdpSize;
      query.tcp = tcp;
      const size_t written = answer.write(query, 9, std::span(out).first(query.limit()));
      check_response({out.data(), written}, query, answer);
    }
  }
  return 0;
}
