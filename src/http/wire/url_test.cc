#include "http/wire/url.h"

#include <gtest/gtest.h>

namespace proa::http {
namespace url_test {

TEST(ParseUrl, TakesThePartsOfAnAbsoluteUrl) {
  struct Case {
    const char* text;
    const char* host;
    int port;
    const char* target;
  };
  const Case cases[] = {
      {"https://example.com", "example.com", 443, "/"},
      {"http://example.com:8080/a/b?c=d%20e", "example.com", 8080, "/a/b?c=d%20e"},
      {"HTTPS://Example.COM/x", "example.com", 443, "/x"},
      {"https://[::1]:6443/healthz", "::1", 6443, "/healthz"},
      {"http://127.0.0.1?x", "127.0.0.1", 80, "/?x"},
      {"http://host:/p", "host", 80, "/p"},
      {"https://h/a%2Fb", "h", 443, "/a%2Fb"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto url = parse_url(c.text);
    ASSERT_TRUE(url.ok());
    EXPECT_EQ(url->host, c.host);
    EXPECT_EQ(url->port, c.port);
    EXPECT_EQ(url->target, c.target);
  }
}

TEST(ParseUrl, RefusesWhatCouldMeanAnotherPlace) {
  for (const char* text : {"",
                           "/path",
                           "example.com",
                           "ftp://host/",
                           "https://",
                           "https://user@host/",
                           "https://user:pw@host/",
                           "https://host/#part",
                           "https://host:0/",
                           "https://host:65536/",
                           "https://host:99999/",
                           "https://host:18446744073709551617/",
                           "https://host:99999999999/",
                           "https://host:12x/",
                           "https://a:b:c/",
                           "https://[::1]x/",
                           "https://host:1%30/",
                           "https://ho st/",
                           "https://ho%00st/",
                           "https://%65vil.com/",
                           "https://[::1",
                           "https://[fe80::1%25eth0]/",
                           "https://host/%zz",
                           "https://host\\@evil/",
                           "https://host/\n",
                           "mailto:a@b"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(parse_url(text).is(Reason::kBadRequest));
  }
  EXPECT_FALSE(parse_url("https://host/" + std::string(100'000, 'a')).ok());
}

TEST(ParseTarget, DecodesSegmentsAndKeepsTheRawPath) {
  const auto target = parse_target("/api/v1//na%6De%2Fspaces/a+b/");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->segments,
            (std::vector<std::string>{"api", "v1", "", "name/spaces", "a+b", ""}));
  EXPECT_EQ(target->raw_path, "/api/v1//na%6De%2Fspaces/a+b/");
  EXPECT_TRUE(parse_target("/")->segments.empty());
  EXPECT_EQ(parse_target("/..")->segments, std::vector<std::string>{".."});
}

TEST(ParseTarget, ReadsQueriesAsGoDoes) {
  const auto target =
      parse_target("/p?b=2&a=1&b=3&&empty=&flag&sum=1%2B1+=+2&k%3D=v=w&match[]={x=\"y\"}|?");
  ASSERT_TRUE(target.ok());
  const std::vector<Target::Pair> wanted = {
      {"b", "2"},   {"a", "1"},         {"b", "3"},    {"empty", ""},
      {"flag", ""}, {"sum", "1+1 = 2"}, {"k=", "v=w"}, {"match[]", "{x=\"y\"}|?"},
  };
  EXPECT_EQ(target->query, wanted);
  ASSERT_NE(target->find("b"), nullptr);
  EXPECT_EQ(*target->find("b"), "2");
  EXPECT_EQ(target->find("absent"), nullptr);
}

TEST(ParseTarget, RefusesMalformedTargets) {
  const std::string nul("/a\0b", 4);
  for (const std::string& text :
       {std::string(), std::string("*"), std::string("a/b"), std::string("http://host/"), nul,
        std::string("/a b"), std::string("/a\r\n"), std::string("/\x7f"), std::string("/a#b"),
        std::string("/%"), std::string("/%4"), std::string("/%gg"), std::string("/%00"),
        std::string("/p?a=%"), std::string("/p?a=%0"), std::string("/p?%zz=1"),
        std::string("/p?a=1;b=2"), std::string("/p?a=%00")}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(parse_target(text).is(Reason::kBadRequest));
  }
}

TEST(ParseTarget, HoldsItsLimits) {
  const TargetLimits limits{.bytes = 32, .segments = 3, .query_pairs = 2};
  EXPECT_TRUE(parse_target("/a/b/c?x&y", limits).ok());
  EXPECT_FALSE(parse_target("/a/b/c/d", limits).ok());
  EXPECT_FALSE(parse_target("/a?x&y&z", limits).ok());
  EXPECT_FALSE(parse_target("/" + std::string(32, 'a'), limits).ok());
}

TEST(PercentEncode, IsUndoneByParseTarget) {
  std::string every_byte;
  for (int byte = 1; byte < 256; ++byte) every_byte.push_back(static_cast<char>(byte));
  const auto target =
      parse_target("/" + percent_encode(every_byte) + "?k=" + percent_encode(every_byte));
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->segments.at(0), every_byte);
  EXPECT_EQ(target->query.at(0).second, every_byte);
}

}  // namespace url_test
}  // namespace proa::http
