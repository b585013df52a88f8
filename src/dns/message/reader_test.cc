#include "dns/message/reader.h"

#include <gtest/gtest.h>

#include <string>

#include "dns/message/query.h"

namespace proa::dns {
namespace {

ByteSpan span_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string bytes(std::initializer_list<int> list) {
  std::string text;
  for (const int byte : list) text += static_cast<char>(byte);
  return text;
}

// A header with that many questions and additional records.
std::string header(int questions, int additionals = 0, int flags = 0x01) {
  return bytes({0x12, 0x34, flags, 0, 0, questions, 0, 0, 0, 0, 0, additionals});
}

const std::string kTail = bytes({0, 1, 0, 1});  // A, IN
const std::string kQuestion = std::string("\3www\7example", 12) + bytes({0}) + kTail;

TEST(Reader, ReadsNamesThatPointBack) {
  // www.example, and a record for a.www.example (pointer to offset 12).
  const std::string message = header(1, 1) + kQuestion + "\1a" + bytes({0xc0, 12}) +
                              bytes({0, 5, 0, 1, 0, 0, 0, 30, 0, 4}) + "\1b" + bytes({0xc0, 16});
  Reader reader(span_of(message));
  ASSERT_TRUE(reader.header());
  Question question;
  ASSERT_TRUE(reader.question(question));
  EXPECT_EQ(question.name.str(), "www.example.");
  Record record;
  ASSERT_TRUE(reader.record(record));
  EXPECT_EQ(record.name.str(), "a.www.example.");
  EXPECT_EQ(record.ttl, 30U);
  EXPECT_TRUE(reader.at_end());
  Name target;
  ASSERT_TRUE(reader.name_in(record.data, target));
  EXPECT_EQ(target.str(), "b.example.");
  EXPECT_TRUE(record.data.empty());
}

TEST(Reader, RefusesMalformedNames) {
  std::string too_long;
  for (int i = 0; i < 5; ++i) too_long += bytes({63}) + std::string(63, 'x');
  const struct {
    std::string name;
    std::string question;
  } kCases[] = {
      {"a pointer to itself", bytes({0xc0, 12})},
      {"a pointer forward", bytes({0xc0, 20, 0, 0, 0, 0, 0, 0, 0})},
      {"a pointer into the header", bytes({0xc0, 0})},
      {"a pointer to the label before it", bytes({1, 'a', 0xc0, 12})},
      {"a loop of two", bytes({0xc0, 14, 0xc0, 12})},
      {"a label of a reserved kind", bytes({0x40, 'a', 0})},
      {"a label behind the end", bytes({5, 'a', 'b'})},
      {"half a pointer", bytes({0xc0})},
      {"no root", bytes({1, 'a'})},
      {"more than 255 bytes", too_long + bytes({0})},
      {"nothing", ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::string message = header(1) + c.question + (c.question.empty() ? "" : kTail);
    Reader reader(span_of(message));
    ASSERT_TRUE(reader.header());
    Question question;
    EXPECT_FALSE(reader.question(question));
  }
}

TEST(Reader, RefusesEveryShorterMessage) {
  const std::string message = header(1, 1) + kQuestion + bytes({0xc0, 12}) +
                              bytes({0, 1, 0, 1, 0, 0, 0, 30, 0, 4, 10, 0, 0, 1});
  for (size_t size = 0; size < message.size(); ++size) {
    const std::string part = message.substr(0, size);
    Reader reader(span_of(part));
    Question question;
    Record record;
    EXPECT_FALSE(reader.header() && reader.question(question) && reader.record(record)) << size;
    EXPECT_TRUE(reader.failed());
    Reader skipper(span_of(part));
    EXPECT_FALSE(skipper.header() && skipper.question(question) && skipper.skip_record()) << size;
  }
}

// Chains of pointers through a whole message of 64 kB end at the limit of a name.
TEST(Reader, BoundsChainsOfPointers) {
  std::string message = header(1) + bytes({0});
  while (message.size() < 0x3f00) {
    const size_t back = message.size() - (message.size() == 13 ? 1 : 2);
    message += bytes({0xc0 | static_cast<int>(back >> 8), static_cast<int>(back & 0xff)});
  }
  const size_t at = message.size();
  message += bytes({0xc0 | static_cast<int>((at - 2) >> 8), static_cast<int>((at - 2) & 0xff)});
  const Reader reader(span_of(message));
  ByteSpan data = span_of(message).subspan(at);
  Name name;
  EXPECT_TRUE(reader.name_in(data, name));
  EXPECT_TRUE(name.view().is_root());
}

const std::string kOpt = bytes({0, 0, 41, 0x10, 0, 0, 0, 0x80, 0, 0, 0});

TEST(ParseQuery, ReadsEdns) {
  Query query;
  EXPECT_EQ(parse_query(span_of(header(1) + kQuestion), query), QueryFault::kNone);
  EXPECT_EQ(query.id, 0x1234);
  EXPECT_FALSE(query.has_edns);
  EXPECT_TRUE(query.recursion_desired);
  EXPECT_EQ(query.limit(), 512U);
  EXPECT_EQ(parse_query(span_of(header(1, 1) + kQuestion + kOpt), query), QueryFault::kNone);
  EXPECT_TRUE(query.has_edns);
  EXPECT_TRUE(query.dnssec_ok);
  EXPECT_EQ(query.udp_size, 4096);
  EXPECT_EQ(query.limit(), 1232U);
  query.tcp = true;
  EXPECT_EQ(query.limit(), 65535U);
}

TEST(ParseQuery, TellsFaultsApart) {
  const std::string version_1 = bytes({0, 0, 41, 0x10, 0, 0, 1, 0, 0, 0, 0});
  const std::string named_opt = bytes({1, 'a', 0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0});
  // Options: code 10, of eight bytes or fewer.
  const std::string opt_header = bytes({0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0});
  const std::string cookie = bytes({12, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8});
  const struct {
    std::string name;
    std::string message;
    QueryFault fault;
  } kCases[] = {
      {"an option", header(1, 1) + kQuestion + opt_header + cookie, QueryFault::kNone},
      {"an option longer than its OPT",
       header(1, 1) + kQuestion + opt_header + bytes({6, 0, 10, 0, 8, 1, 2}),
       QueryFault::kFormatError},
      {"half an option", header(1, 1) + kQuestion + opt_header + bytes({3, 0, 10, 0}),
       QueryFault::kFormatError},
      {"empty", "", QueryFault::kDrop},
      {"half a header", header(1).substr(0, 11), QueryFault::kDrop},
      {"a response", header(1, 0, 0x81) + kQuestion, QueryFault::kDrop},
      {"an update", header(1, 0, 0x29) + kQuestion, QueryFault::kNotImplemented},
      {"no question", header(0), QueryFault::kFormatError},
      {"two questions", header(2) + kQuestion + kQuestion, QueryFault::kFormatError},
      {"thousands", bytes({0, 1, 1, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0}) + kQuestion,
       QueryFault::kFormatError},
      {"two OPT", header(1, 2) + kQuestion + kOpt + kOpt, QueryFault::kFormatError},
      {"an OPT with a name", header(1, 1) + kQuestion + named_opt, QueryFault::kFormatError},
      {"an OPT that is cut", header(1, 1) + kQuestion + kOpt.substr(1), QueryFault::kFormatError},
      {"EDNS 1", header(1, 1) + kQuestion + version_1, QueryFault::kBadVersion},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Query query;
    EXPECT_EQ(parse_query(span_of(c.message), query), c.fault);
  }
}

}  // namespace
}  // namespace proa::dns
