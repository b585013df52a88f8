#include "dns/server/names/local_names.h"

#include <gtest/gtest.h>

#include "dns/message/text.h"

namespace proa::dns {
namespace {

std::string rewritten(std::vector<RewriteRule> rules, std::string_view name) {
  const LocalNames names({}, std::move(rules));
  const auto found = names.rewrite(Name::parse(name).value());
  return found ? found->name.str() : "-";
}

TEST(LocalNames, Rewrite) {
  using Match = RewriteRule::Match;
  const RewriteRule exact{.match = Match::kExact, .from = "a.example", .to = "b.example"};
  EXPECT_EQ(rewritten({exact}, "A.example"), "b.example.");
  EXPECT_EQ(rewritten({exact}, "x.a.example"), "-");
  EXPECT_EQ(rewritten({{.match = Match::kPrefix, .from = "old-", .to = "new-"}}, "old-a.b"),
            "new-a.b.");
  EXPECT_EQ(rewritten({{.match = Match::kSuffix, .from = ".corp", .to = ".svc.cluster.local"}},
                      "web.shop.corp"),
            "web.shop.svc.cluster.local.");
  EXPECT_EQ(rewritten({{.match = Match::kSubstring, .from = "x", .to = "yy"}}, "axbx.c"),
            "ayybyy.c.");
  // Rules that go on.
  const RewriteRule first{.from = "a.example", .to = "c.example", .last = false};
  const RewriteRule second{.from = "c.example", .to = "d.example"};
  EXPECT_EQ(rewritten({first, second}, "a.example"), "d.example.");
  EXPECT_EQ(rewritten({exact, second}, "a.example"), "b.example.");
}

class HostsTest : public ::testing::Test {
 protected:
  std::string ask(std::string_view name, Type type, std::vector<HostsZone> zones = {}) {
    HostsSettings hosts;
    hosts.entries = {{.address = parse_ip("10.0.0.1").value(), .names = {"db.corp", "db"}},
                     {.address = parse_ip("fd00::1").value(), .names = {"db.corp"}}};
    hosts.ttl = 60;
    hosts.zones = std::move(zones);
    const LocalNames names(hosts, {});
    Query query;
    query.question = {.name = Name::parse(name).value(), .type = type};
    std::vector<uint8_t> buffer(kPlainUdpSize);
    Writer writer(buffer, buffer.size());
    writer.begin_response(query);
    const auto rcode = names.answer(query.question, writer);
    if (!rcode) return "next";
    buffer.resize(writer.finish(*rcode));
    return message_text(buffer);
  }
};

TEST_F(HostsTest, AnswerAsAFileOfHosts) {
  EXPECT_EQ(ask("DB.corp", Type::kA), "NOERROR rd\nDB.corp. 60 A 10.0.0.1\n");
  EXPECT_EQ(ask("db.corp", Type::kAaaa), "NOERROR rd\ndb.corp. 60 AAAA fd00::1\n");
  // Others are not asked for what an entry does not have.
  EXPECT_EQ(ask("db", Type::kAaaa), "NOERROR rd\n");
  EXPECT_EQ(ask("db", Type::kTxt), "NOERROR rd\n");
  EXPECT_EQ(ask("other", Type::kA), "next");
  EXPECT_EQ(ask("1.0.0.10.in-addr.arpa", Type::kPtr),
            "NOERROR rd\n1.0.0.10.in-addr.arpa. 60 PTR db.corp.\n"
            "1.0.0.10.in-addr.arpa. 60 PTR db.\n");
  EXPECT_EQ(ask("2.0.0.10.in-addr.arpa", Type::kPtr), "next");
}

TEST_F(HostsTest, FailInTheirZones) {
  const struct {
    const char* name;
    Type type;
    std::vector<HostsZone> zones;
    const char* answer;
  } cases[] = {
      {"other", Type::kA, {{}}, "SERVFAIL rd\n"},
      {"web.default.svc.cluster.local", Type::kA, {{}}, "SERVFAIL rd\n"},
      {"db", Type::kA, {{}}, "NOERROR rd\ndb. 60 A 10.0.0.1\n"},
      {"2.0.0.10.in-addr.arpa", Type::kPtr, {{}}, "next"},
      {"other", Type::kA, {{.fallthrough = {"."}}}, "next"},
      {"x.b", Type::kA, {{.fallthrough = {"b"}}}, "next"},
      {"x.c", Type::kA, {{.fallthrough = {"b"}}}, "SERVFAIL rd\n"},
      {"x.c", Type::kA, {{.zone = "b"}}, "next"},
      {"x.b", Type::kA, {{.zone = "b"}}, "SERVFAIL rd\n"},
      {"x.b", Type::kA, {{}, {.zone = "b", .fallthrough = {"."}}}, "next"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ask(c.name, c.type, c.zones), c.answer);
  }
}

TEST(RenameResponse, HasTheNameThatWasAskedFor) {
  Query other;
  other.question = {.name = Name::parse("b.example").value(), .type = Type::kA};
  std::vector<uint8_t> response(kPlainUdpSize);
  Writer writer(response, response.size());
  writer.begin_response(other);
  const Name target = Name::parse("c.example").value();
  writer.name_record(Section::kAnswer, other.question.name, Type::kCname, 5, target);
  writer.address(Section::kAnswer, target, 6, parse_ip("10.0.0.1").value());
  response.resize(writer.finish(Rcode::kNoError, {.recursion_available = true}));
  Query query;
  query.question = {.name = Name::parse("A.example").value(), .type = Type::kA};
  std::vector<uint8_t> out(kPlainUdpSize);
  const Rewritten rewritten{.name = other.question.name};
  out.resize(rename_response(response, query, rewritten, out));
  EXPECT_EQ(message_text(out),
            "NOERROR rd ra\nA.example. 5 CNAME c.example.\nc.example. 6 A 10.0.0.1\n");
  response.resize(20);
  EXPECT_EQ(rename_response(response, query, rewritten, out), 0U);
}

TEST(RenameResponse, LeadsBackWhereThatIsWanted) {
  const Name port = Name::parse("_http._tcp.web.b.example").value();
  const Name web = Name::parse("web.b.example").value();
  std::vector<uint8_t> response(kPlainUdpSize);
  Writer writer(response, response.size());
  Query other;
  other.question = {.name = port, .type = Type::kSrv};
  writer.begin_response(other);
  writer.srv(Section::kAnswer, port, 5, {.weight = 100, .port = 80, .target = web});
  writer.name_record(Section::kAuthority, web, Type::kNs, 5, port);
  writer.address(Section::kAdditional, web, 5, parse_ip("10.0.0.1").value());
  response.resize(writer.finish(Rcode::kNoError));
  const struct {
    const char* name;
    Name asked;
    RewriteRule rule;
    const char* text;
  } cases[] = {
      {"a suffix",
       Name::parse("_http._tcp.web.a.example").value(),
       {.match = RewriteRule::Match::kSuffix,
        .from = ".a.example",
        .to = ".b.example",
        .answer = true},
       "NOERROR rd\n_http._tcp.web.a.example. 5 SRV 0 100 80 web.a.example.\n"
       "  web.a.example. 5 NS _http._tcp.web.a.example.\n    web.a.example. 5 A 10.0.0.1\n"},
      {"the name that was asked for only",
       Name::parse("_http._tcp.web.a.example").value(),
       {.match = RewriteRule::Match::kSuffix, .from = ".a.example", .to = ".b.example"},
       "NOERROR rd\n_http._tcp.web.a.example. 5 SRV 0 100 80 web.b.example.\n"
       "  web.b.example. 5 NS _http._tcp.web.b.example.\n    web.b.example. 5 A 10.0.0.1\n"},
      {"one name, always",
       Name::parse("a.example").value(),
       {.from = "a.example", .to = "_http._tcp.web.b.example"},
       "NOERROR rd\na.example. 5 SRV 0 100 80 web.b.example.\n"
       "  web.b.example. 5 NS a.example.\n    web.b.example. 5 A 10.0.0.1\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto rewritten = LocalNames({}, {c.rule}).rewrite(c.asked);
    ASSERT_TRUE(rewritten);
    Query query;
    query.question = {.name = c.asked, .type = Type::kSrv};
    std::vector<uint8_t> out(kPlainUdpSize);
    out.resize(rename_response(response, query, *rewritten, out));
    EXPECT_EQ(message_text(out), c.text);
  }
}

}  // namespace
}  // namespace proa::dns
