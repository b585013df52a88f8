#include "dns/config/names.h"

#include <gtest/gtest.h>

namespace proa::dns {
namespace {

TEST(ParseZone, AcceptsNamesOnly) {
  EXPECT_EQ(parse_zone("."), ".");
  EXPECT_EQ(parse_zone("Example.ORG."), "example.org");
  EXPECT_EQ(parse_zone("_sip._tcp.a-b"), "_sip._tcp.a-b");
  EXPECT_EQ(parse_zone(std::string(63, 'a') + ".b"), std::string(63, 'a') + ".b");
  for (const std::string& bad : {std::string(), std::string(".."), std::string("a..b"),
                                 std::string(".a"), std::string("a b"), std::string("a/24"),
                                 std::string(64, 'a'), std::string("a*"), std::string(254, 'a')}) {
    EXPECT_EQ(parse_zone(bad), std::nullopt) << bad;
  }
}

TEST(IsWithin, ComparesWholeLabels) {
  EXPECT_TRUE(is_within("a.example", "."));
  EXPECT_TRUE(is_within("example", "example"));
  EXPECT_TRUE(is_within("a.example", "example"));
  EXPECT_FALSE(is_within("anexample", "example"));
  EXPECT_FALSE(is_within("example", "a.example"));
}

TEST(ParseUpstream, ReadsAddressesAndPorts) {
  const struct {
    const char* text;
    const char* expected;  // starting with '!': the failure
  } cases[] = {
      {"10.0.0.2", "10.0.0.2:53"},
      {"10.0.0.2:5353", "10.0.0.2:5353"},
      {"fd00::2", "[fd00::2]:53"},
      {"[fd00::2]:54", "[fd00::2]:54"},
      {"[fd00::2]", "[fd00::2]:53"},
      {"fe80::1%eth0", "[fe80::1%eth0]:53"},
      {"dns://10.0.0.2", "10.0.0.2:53"},
      {"tls://10.0.0.2",
       "!upstream \"tls://10.0.0.2\" is encrypted, which is not supported; use a plain address"},
      {"10.0.0.2:", "!upstream \"10.0.0.2:\" is not ADDRESS or ADDRESS:PORT"},
      {"[fd00::2", "!upstream \"[fd00::2\" is not ADDRESS or ADDRESS:PORT"},
      {"[fd00::2]x", "!upstream \"[fd00::2]x\" is not ADDRESS or ADDRESS:PORT"},
      {"10.0.0.2:0", "!upstream \"10.0.0.2:0\" has a port that is not between 1 and 65535"},
      {"10.0.0.2:65536", "!upstream \"10.0.0.2:65536\" has a port that is not between 1 and 65535"},
      {"fe80::1%", "!upstream \"fe80::1%\" has a bad name of a link"},
      {"dns.example", "!upstream \"dns.example\" is not an IP address"},
      {"0.0.0.0", "!upstream \"0.0.0.0\" is the unspecified address"},
      {"::", "!upstream \"::\" is the unspecified address"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Upstream> upstream = parse_upstream(c.text);
    EXPECT_EQ(upstream.ok() ? upstream->str() : "!" + upstream.status().message(), c.expected);
  }
}

TEST(ParseSeconds, ReadsNumbersAndDurations) {
  EXPECT_EQ(parse_seconds("30"), std::chrono::seconds(30));
  EXPECT_EQ(parse_seconds("1m30s"), std::chrono::seconds(90));
  EXPECT_EQ(parse_seconds("500ms"), std::chrono::milliseconds(500));
  for (const char* bad : {"", "-1", "-1s", "x", "99999999999999"}) {
    EXPECT_EQ(parse_seconds(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace proa::dns
