#include "base/net/ip_address.h"

#include <gtest/gtest.h>

namespace proa {

TEST(IpAddress, ReadsWhatUpstreamReads) {
  const struct {
    std::string_view text, canonical;
  } cases[] = {
      {"1.2.3.4", "1.2.3.4"},
      {"255.255.255.255", "255.255.255.255"},
      {"010.002.0003.4", "10.2.3.4"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"FE80:0:0:0:0:0:0:0abc", "fe80::abc"},
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
      {"::ffff:1.2.3.4", "1.2.3.4"},
      {"::1.2.3.4", "::102:304"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
      {"::00001", "::1"},
  };
  for (const auto& c : cases) {
    const auto address = parse_ip(c.text);
    ASSERT_TRUE(address.has_value()) << c.text;
    EXPECT_EQ(address->str(), c.canonical);
    EXPECT_EQ(*parse_ip(c.canonical), *address) << c.text;
  }
}

TEST(IpAddress, RefusesTheRest) {
  for (const std::string_view text : {"",
                                      "1",
                                      "1.2.3",
                                      "1.2.3.4.5",
                                      "1.2.3.256",
                                      "1.2.3.",
                                      ".1.2.3",
                                      "1.2.3.4 ",
                                      "1.2.3.-4",
                                      "1..3.4",
                                      ":",
                                      ":::",
                                      "1:2:3:4:5:6:7",
                                      "1:2:3:4:5:6:7:8:9",
                                      "1:2:3:4::5:6:7:8",
                                      "1::2::3",
                                      "::10000",
                                      "::g",
                                      "1:",
                                      ":1",
                                      "::1:",
                                      "fe80::1%eth0",
                                      "1:2:3:4:5:1.2.3.4",
                                      "::1.2.3",
                                      "1:2:3:4:5:6:7:1.2.3.4",
                                      "::1.2.3.4:5",
                                      "99999999999999999999.1.1.1"}) {
    EXPECT_FALSE(parse_ip(text).has_value()) << text;
  }
}

TEST(IpPrefix, KnowsItsRange) {
  const auto prefix = parse_prefix("10.1.2.3/8");
  ASSERT_TRUE(prefix.has_value());
  EXPECT_EQ(prefix->base().str(), "10.0.0.0");
  EXPECT_EQ(prefix->str(), "10.0.0.0/8");
  EXPECT_TRUE(prefix->contains(*parse_ip("10.255.0.1")));
  EXPECT_FALSE(prefix->contains(*parse_ip("11.0.0.1")));
  EXPECT_FALSE(prefix->contains(*parse_ip("::1")));
  EXPECT_EQ(parse_prefix("2001:DB8::1/32")->str(), "2001:db8::/32");
  EXPECT_EQ(parse_prefix("::ffff:1.2.3.4/120")->str(), "1.2.3.0/24");
  EXPECT_EQ(parse_prefix("0.0.0.0/0")->str(), "0.0.0.0/0");
  EXPECT_TRUE(parse_prefix("::/0")->contains(*parse_ip("fe80::1")));
}

TEST(IpPrefix, OverlapsWithWhatItContainsOrIsPartOf) {
  const auto overlapping = [](std::string_view a, std::string_view b) {
    EXPECT_EQ(overlap(*parse_prefix(a), *parse_prefix(b)),
              overlap(*parse_prefix(b), *parse_prefix(a)));
    return overlap(*parse_prefix(a), *parse_prefix(b));
  };
  EXPECT_TRUE(overlapping("10.0.0.0/8", "10.244.0.0/24"));
  EXPECT_TRUE(overlapping("10.244.0.0/24", "10.244.0.0/24"));
  EXPECT_FALSE(overlapping("10.244.0.0/24", "10.244.1.0/24"));
  EXPECT_FALSE(overlapping("0.0.0.0/0", "::/0"));
}

TEST(IpPrefix, RefusesTheRest) {
  for (const std::string_view text :
       {"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8",
        "10.0.0.0/8x", "x/8"}) {
    EXPECT_FALSE(parse_prefix(text).has_value()) << text;
  }
}

}  // namespace proa
