#include "dns/forward/answer.h"

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

Answer answer_with(int addresses) {
  TestReply reply(0, "WWW.example", Type::kA);
  reply.cname("www.example", "web.example");
  for (int i = 0; i < addresses; ++i) reply.address("web.example", fmt::format("10.0.0.{}", i));
  const std::string bytes = reply.bytes();
  return {Answer::Kind::kPositive, Rcode::kNoError, bytes_of(bytes), 60, true};
}

std::string written(const Answer& answer, const Query& query) {
  std::vector<uint8_t> out(query.limit());
  const size_t size = answer.write(query, 42, out);
  EXPECT_LE(size, query.limit());
  return text_of({out.data(), size});
}

TEST(Answer, IsWrittenForTheClient) {
  const Answer answer = answer_with(1);
  Query query = client_query("wwW.eXample");
  query.id = 0x1234;
  EXPECT_TRUE(answer.is_about(query.question));
  EXPECT_EQ(written(answer, query),
            "NOERROR; wwW.eXample. A; wwW.eXample. 42 CNAME web.eXample.; web.eXample. 42 A "
            "10.0.0.0");
  query.has_edns = true;
  query.dnssec_ok = true;
  query.udp_size = 4096;
  EXPECT_EQ(written(answer, query),
            "NOERROR; wwW.eXample. A; wwW.eXample. 42 CNAME web.eXample.; web.eXample. 42 A "
            "10.0.0.0; OPT");
  std::array<uint8_t, 1232> out;
  const size_t size = answer.write(query, 42, out);
  const Header header = *Reader({out.data(), size}).header();
  EXPECT_EQ(header.id, 0x1234);
  EXPECT_TRUE(header.response);
  EXPECT_TRUE(header.recursion_desired);
  EXPECT_TRUE(header.recursion_available);
  EXPECT_TRUE(header.authentic_data);
  EXPECT_FALSE(header.authoritative);
}

TEST(Answer, IsCutToWhatTheClientCanReceive) {
  const Answer answer = answer_with(100);
  Query query = client_query("www.example");
  EXPECT_TRUE(written(answer, query).starts_with("NOERROR tc; www.example. A; www.example. 42"));
  query.has_edns = true;
  query.udp_size = 1232;
  EXPECT_TRUE(written(answer, query).starts_with("NOERROR tc; "));
  EXPECT_TRUE(written(answer, query).ends_with("; OPT"));
  query.tcp = true;
  EXPECT_TRUE(written(answer, query).starts_with("NOERROR; "));
}

TEST(Answer, IsAboutOneQuestion) {
  const Answer answer = answer_with(1);
  EXPECT_FALSE(answer.is_about(client_query("www.example", Type::kAaaa).question));
  EXPECT_FALSE(answer.is_about(client_query("www.examplf").question));
  EXPECT_FALSE(answer.is_about(client_query("example").question));
  EXPECT_FALSE(answer.is_about(client_query(std::string(60, 'a') + ".www.example").question));
  EXPECT_FALSE(answer.is_about(Question()));
}

TEST(Answer, OfAFailureRepeatsTheQuestion) {
  const Query query = client_query("A.b", Type::kTxt);
  const Answer answer = failed_answer(query.question, Rcode::kServerFailure);
  EXPECT_EQ(answer.kind(), Answer::Kind::kFailure);
  EXPECT_EQ(written(answer, query), "SERVFAIL; A.b. TXT");
}

TEST(HashQuery, DiffersByWhatIsAsked) {
  const Query query = client_query("a.b");
  EXPECT_EQ(hash_query(query, 1), hash_query(client_query("A.B"), 1));
  EXPECT_TRUE(have_same_answer(query, client_query("A.B")));
  Query signatures = query;
  signatures.dnssec_ok = true;
  Query unchecked = query;
  unchecked.checking_disabled = true;
  for (const Query& other :
       {client_query("a.c"), client_query("a.b", Type::kAaaa), signatures, unchecked}) {
    EXPECT_NE(hash_query(query, 1), hash_query(other, 1));
    EXPECT_FALSE(have_same_answer(query, other));
  }
  EXPECT_NE(hash_query(query, 1), hash_query(query, 2));
}

}  // namespace
}  // namespace proa::dns
