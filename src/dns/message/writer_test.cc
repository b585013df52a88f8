#include "dns/message/writer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace proa::dns {
namespace {

Name name_of(std::string_view text) { return Name::parse(text).value(); }

Query query_of(std::string_view name, Type type) {
  Query query;
  query.id = 7;
  query.question = {.name = name_of(name), .type = type, .klass = Class::kInternet};
  return query;
}

// A message as text, a line a record.
std::string text_of(ByteSpan message) {
  Reader reader(message);
  const auto header = reader.header();
  if (!header) return "malformed";
  std::string text = rcode_name(header->rcode) + (header->truncated ? " tc" : "") +
                     (header->authoritative ? " aa" : "") + "\n";
  Question question;
  for (int i = 0; i < header->questions; ++i) {
    if (!reader.question(question)) return text + "malformed";
    text += "? " + question.name.str() + " " + type_name(question.type) + "\n";
  }
  const int records = header->answers + header->authorities + header->additionals;
  for (int i = 0; i < records; ++i) {
    Record record;
    if (!reader.record(record)) return text + "malformed";
    text += record.name.str() + " " + std::to_string(record.ttl) + " " + type_name(record.type);
    ByteSpan data = record.data;
    if (record.type == Type::kSrv) data = data.subspan(6);
    Name target;
    if (record.type != Type::kA && record.type != Type::kOpt && record.type != Type::kTxt &&
        reader.name_in(data, target)) {
      text += " " + target.str();
    }
    text += "\n";
  }
  return text + (reader.at_end() ? "" : "more bytes");
}

TEST(Writer, DoesNotCompareANameWithItsOwnBeginning) {
  std::array<uint8_t, 512> buffer;
  const Query query = query_of("q", Type::kA);
  for (size_t at = kHeaderSize; at < 40; ++at) {
    // What an earlier message left in the buffer continues the first label of the name.
    buffer.fill(0xff);
    buffer[at] = 1;
    buffer[at + 1] = 'c';
    buffer[at + 2] = 0;
    Writer writer(buffer, buffer.size());
    writer.begin_response(query);
    EXPECT_TRUE(
        writer.name_record(Section::kAnswer, name_of("a.a.c"), Type::kCname, 5, name_of("b.b.c")));
    const size_t size = writer.finish(Rcode::kNoError);
    EXPECT_EQ(text_of({buffer.data(), size}), "NOERROR\n? q. A\na.a.c. 5 CNAME b.b.c.\n") << at;
  }
}

TEST(Writer, CompressesNames) {
  std::array<uint8_t, 512> buffer;
  Writer writer(buffer, buffer.size());
  const Query query = query_of("Www.Example.org", Type::kCname);
  writer.begin_response(query);
  const size_t question = writer.size();
  EXPECT_TRUE(writer.name_record(Section::kAnswer, query.question.name, Type::kCname, 5,
                                 name_of("web.example.ORG")));
  // A pointer, the fixed part, "web" and a pointer.
  EXPECT_EQ(writer.size() - question, 2U + 10U + 4U + 2U);
  EXPECT_TRUE(
      writer.address(Section::kAnswer, name_of("web.example.org"), 6, *parse_ip("10.0.0.1")));
  const size_t size = writer.finish(Rcode::kNoError, {.authoritative = true});
  EXPECT_EQ(text_of({buffer.data(), size}),
            "NOERROR aa\n? Www.Example.org. CNAME\n"
            "Www.Example.org. 5 CNAME web.Example.org.\n"
            "web.Example.org. 6 A\n");
}

TEST(Writer, WritesEveryKindOfRecord) {
  std::array<uint8_t, 512> buffer;
  Writer writer(buffer, buffer.size());
  Query query = query_of("a.b", Type::kSrv);
  query.has_edns = true;
  query.dnssec_ok = true;
  writer.begin_response(query);
  const Name target = name_of("t.a.b");
  EXPECT_TRUE(writer.srv(Section::kAnswer, query.question.name, 1,
                         {.weight = 100, .port = 80, .target = target}));
  EXPECT_TRUE(writer.text(Section::kAnswer, query.question.name, 2, "1.1.0"));
  const Name ns = name_of("ns.b");
  EXPECT_TRUE(writer.soa(Section::kAuthority, name_of("b"), 3,
                         {.primary = ns, .mailbox = name_of("h.b"), .minimum = 5}));
  EXPECT_TRUE(writer.address(Section::kAdditional, target, 4, *parse_ip("fd00::1")));
  const size_t size = writer.finish(Rcode::kBadVersion);
  // The OPT record has the upper bits of the code in its TTL, and DO.
  EXPECT_EQ(text_of({buffer.data(), size}),
            "NOERROR\n? a.b. SRV\na.b. 1 SRV t.a.b.\na.b. 2 TXT\nb. 3 SOA ns.b.\n"
            "t.a.b. 4 AAAA\n. " +
                std::to_string(0x01008000) + " OPT\n");
}

TEST(Writer, LeavesOutWhatDoesNotFit) {
  std::array<uint8_t, 1024> buffer;
  Writer writer(buffer, 512);
  Query query = query_of("many.example", Type::kA);
  query.has_edns = true;
  writer.begin_response(query);
  size_t fitted = 0;
  for (int i = 0; i < 100; ++i) {
    if (writer.address(Section::kAnswer, query.question.name, 5, *parse_ip("10.0.0.1"))) ++fitted;
  }
  EXPECT_TRUE(writer.truncated());
  const size_t size = writer.finish(Rcode::kNoError);
  EXPECT_LE(size, 512U);
  EXPECT_GT(size, 512U - 16U);
  Reader reader({buffer.data(), size});
  const auto header = reader.header();
  EXPECT_EQ(header->answers, fitted);
  EXPECT_EQ(header->additionals, 1);
  EXPECT_TRUE(header->truncated);
  EXPECT_EQ(text_of({buffer.data(), size}).find("malformed"), std::string::npos);
}

TEST(Writer, DropsAdditionalRecordsWithoutMarkingThat) {
  std::array<uint8_t, 512> buffer;
  Writer writer(buffer, buffer.size());
  const Query query = query_of("few.example", Type::kA);
  writer.begin_response(query);
  bool fits = true;
  for (int i = 0; i < 100; ++i) {
    fits = writer.address(Section::kAdditional, query.question.name, 5, *parse_ip("10.0.0.1"));
  }
  EXPECT_FALSE(fits);
  EXPECT_FALSE(writer.truncated());
}

TEST(Writer, CopiesRecordsOfOtherMessages) {
  std::array<uint8_t, 512> first;
  Writer from(first, first.size());
  const Query query = query_of("Deep.example.org", Type::kMx);
  from.begin_response(query);
  from.name_record(Section::kAnswer, query.question.name, Type::kCname, 9,
                   name_of("other.example.org"));
  from.soa(Section::kAuthority, name_of("example.org"), 9,
           {.primary = name_of("ns.example.org"), .mailbox = name_of("h.example.org")});
  const size_t size = from.finish(Rcode::kNoError);

  std::array<uint8_t, 512> second;
  Writer to(second, second.size());
  to.begin_response(query_of("x", Type::kMx));
  Reader reader({first.data(), size});
  Question question;
  ASSERT_TRUE(reader.header() && reader.question(question));
  for (const Section section : {Section::kAnswer, Section::kAuthority}) {
    Record record;
    ASSERT_TRUE(reader.record(record));
    EXPECT_TRUE(to.copy(section, reader, record, 3));
  }
  // Data that ends inside of a name.
  Record bad;
  bad.name = name_of("x");
  bad.type = Type::kCname;
  bad.data = ByteSpan(first.data() + 12, 3);
  EXPECT_FALSE(to.copy(Section::kAuthority, reader, bad, 3));
  EXPECT_FALSE(to.truncated());
  EXPECT_EQ(text_of({second.data(), to.finish(Rcode::kNoError)}),
            "NOERROR\n? x. MX\nDeep.example.org. 3 CNAME other.example.org.\n"
            "example.org. 3 SOA ns.example.org.\n");
}

TEST(Writer, AsksQuestions) {
  std::array<uint8_t, 512> buffer;
  Writer writer(buffer, buffer.size());
  const Question question{.name = name_of("wWw.eXample"), .type = Type::kA};
  writer.begin_query(99, question, kOurUdpSize, false);
  Query query;
  EXPECT_EQ(parse_query({buffer.data(), writer.finish(Rcode::kNoError)}, query), QueryFault::kNone);
  EXPECT_EQ(query.id, 99);
  EXPECT_TRUE(query.recursion_desired);
  EXPECT_EQ(query.udp_size, kOurUdpSize);
  EXPECT_EQ(query.question.name.wire(), question.name.wire());
}

}  // namespace
}  // namespace proa::dns
