#include "dns/forward/check_answer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "testkit/dns/messages.h"

namespace proa::dns {
namespace {

using testkit::bytes_of;
using testkit::client_query;
using testkit::TestReply;
using testkit::text_of;

constexpr uint16_t kId = 4711;

Sent sent_for(std::string_view name, Type type = Type::kA) {
  Sent sent;
  sent.id = kId;
  sent.question = client_query(name, type).question;
  return sent;
}

std::string_view fault_name(AnswerFault fault) {
  constexpr std::string_view kNames[] = {"none",      "not ours", "other case",
                                         "truncated", "no edns",  "malformed"};
  return kNames[static_cast<size_t>(fault)];
}

// The answer as a client gets it with a TTL of 1, its kind and its own TTL; or the fault.
std::string check(std::string_view message, const Sent& sent) {
  static std::array<uint8_t, kMostMessage> scratch;
  const CheckedAnswer checked = check_answer(bytes_of(message), sent, scratch);
  if (checked.fault != AnswerFault::kNone) return std::string(fault_name(checked.fault));
  Query query;
  query.question = sent.question;
  query.tcp = true;
  std::vector<uint8_t> out(kMostMessage);
  const size_t size = checked.answer->write(query, 1, out);
  constexpr std::string_view kKinds[] = {"positive", "negative", "failure"};
  return fmt::format("{} {}: {}", kKinds[static_cast<size_t>(checked.answer->kind())],
                     checked.answer->ttl(), text_of({out.data(), size}));
}

TEST(CheckAnswer, TakesOnlyWhatWasAsked) {
  const Sent sent = sent_for("wWw.Example");
  const auto reply = [](uint16_t id, std::string_view name, Type type = Type::kA) {
    return TestReply(id, name, type).address(name, "10.0.0.1").bytes();
  };
  EXPECT_EQ(check(reply(kId, "wWw.Example"), sent),
            "positive 60: NOERROR; wWw.Example. A; wWw.Example. 1 A 10.0.0.1");
  EXPECT_EQ(check(reply(kId + 1, "wWw.Example"), sent), "not ours");
  EXPECT_EQ(check(reply(kId, "www.example"), sent), "other case");
  EXPECT_EQ(check(reply(kId, "wWx.Example"), sent), "not ours");
  EXPECT_EQ(check(reply(kId, "wWw.Example", Type::kAaaa), sent), "not ours");
  EXPECT_EQ(check("", sent), "not ours");
  EXPECT_EQ(check(std::string(12, 0), sent), "not ours");
  std::string query = reply(kId, "wWw.Example");
  query[2] = 0;  // not a response
  EXPECT_EQ(check(query, sent), "not ours");
  // Nobody else can answer by TCP: the case does not matter, but is noted.
  Sent by_tcp = sent;
  by_tcp.tcp = true;
  std::array<uint8_t, kMostMessage> scratch;
  const std::string folded = reply(kId, "www.example");
  const CheckedAnswer checked = check_answer(bytes_of(folded), by_tcp, scratch);
  EXPECT_EQ(checked.fault, AnswerFault::kNone);
  EXPECT_FALSE(checked.case_kept);
}

TEST(CheckAnswer, SaysHowToAskAgain) {
  Sent sent = sent_for("a.example");
  EXPECT_EQ(check(TestReply(kId, "a.example", Type::kA).bytes(Rcode::kNoError, true), sent),
            "truncated");
  sent.tcp = true;
  EXPECT_EQ(check(TestReply(kId, "a.example", Type::kA).bytes(Rcode::kNoError, true), sent),
            "malformed");
  sent.tcp = false;
  const std::string no_edns = TestReply(kId, "a.example", Type::kA).bytes(Rcode::kFormatError);
  EXPECT_EQ(check(no_edns, sent), "failure 0: FORMERR; a.example. A");
  sent.edns = true;
  EXPECT_EQ(check(no_edns, sent), "no edns");
  // Old servers do not repeat the question.
  std::string bare = no_edns.substr(0, kHeaderSize);
  bare[5] = 0;
  EXPECT_EQ(check(bare, sent), "no edns");
  bare[3] = 5;
  EXPECT_EQ(check(bare, sent), "failure 0: REFUSED; a.example. A");
  bare[3] = 0;
  EXPECT_EQ(check(bare, sent), "not ours");
  EXPECT_EQ(check(TestReply(kId, "a.example", Type::kA).bytes(Rcode::kServerFailure), sent),
            "failure 0: SERVFAIL; a.example. A");
}

TEST(CheckAnswer, KeepsWhatBelongsToTheQuestion) {
  const auto reply = [] { return TestReply(kId, "a.example", Type::kA); };
  const struct {
    const char* name;
    std::string message;
    const char* expected;
  } cases[] = {
      {"a chain of names, in any order",
       reply()
           .address("c.other", "10.0.0.1", 30)
           .cname("b.example", "c.other", 20)
           .cname("a.example", "b.example", 40)
           .bytes(),
       "positive 20: NOERROR; a.example. A; c.other. 1 A 10.0.0.1; b.example. 1 CNAME c.other.; "
       "a.example. 1 CNAME b.example."},
      {"addresses of names that nobody asked for",
       reply()
           .address("a.example", "10.0.0.1")
           .address("bank.example", "10.6.6.6", 1)
           .cname("bank.example", "evil.example")
           .authority_ns("example", "evil.example")
           .extra_address("bank.example", "10.6.6.6")
           .bytes(),
       "positive 60: NOERROR; a.example. A; a.example. 1 A 10.0.0.1"},
      {"no such name", reply().soa("example", 50, 40).bytes(Rcode::kNameError),
       "negative 40: NXDOMAIN; a.example. A; example. 1 SOA ns.example."},
      {"no such record", reply().soa("example", 30, 40).bytes(),
       "negative 30: NOERROR; a.example. A; example. 1 SOA ns.example."},
      {"the zone of somebody else", reply().soa("other", 30, 40).bytes(Rcode::kNameError),
       "negative 0: NXDOMAIN; a.example. A"},
      {"a name that leads nowhere",
       reply().cname("a.example", "b.other", 9).soa("other", 30, 40).bytes(Rcode::kNameError),
       "negative 9: NXDOMAIN; a.example. A; a.example. 1 CNAME b.other.; other. 1 SOA ns.example."},
      {"a TTL below zero", reply().address("a.example", "10.0.0.1", 0x80000001U).bytes(),
       "positive 0: NOERROR; a.example. A; a.example. 1 A 10.0.0.1"},
      {"a circle", reply().cname("a.example", "b.example").cname("b.example", "a.example").bytes(),
       "malformed"},
      {"itself", reply().cname("a.example", "A.example").bytes(), "malformed"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(check(c.message, sent_for("a.example")), c.expected);
  }
}

TEST(CheckAnswer, BoundsItsWork) {
  TestReply chain(kId, "a0.example", Type::kA);
  for (int i = 0; i < 20; ++i) {
    chain.cname(fmt::format("a{}.example", i), fmt::format("a{}.example", i + 1));
  }
  EXPECT_EQ(check(chain.bytes(), sent_for("a0.example")), "malformed");
  TestReply many(kId, "a.example", Type::kA);
  for (int i = 0; i < 600; ++i)
    many.address("a.example", fmt::format("10.0.{}.{}", i / 250, i % 250));
  EXPECT_EQ(check(many.bytes(), sent_for("a.example")), "malformed");
}

TEST(CheckAnswer, FindsEveryCutOfAMessage) {
  const std::string whole = TestReply(kId, "a.example", Type::kA)
                                .cname("a.example", "b.example")
                                .address("b.example", "10.0.0.1")
                                .bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string result = check(whole.substr(0, size), sent_for("a.example"));
    EXPECT_TRUE(result == "malformed" || result == "not ours") << size << ": " << result;
  }
}

}  // namespace
}  // namespace proa::dns
