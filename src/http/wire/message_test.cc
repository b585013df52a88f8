#include "http/wire/message.h"

#include <gtest/gtest.h>

namespace proa::http {

TEST(Headers, KeepsNamesInLowerCaseAndInOrder) {
  const Headers headers{{"Content-Type", "a"}, {"X-B", "1"}, {"x-b", "2"}};
  EXPECT_EQ(headers.get("content-type"), "a");
  EXPECT_EQ(headers.get("x-b"), "1");
  EXPECT_EQ(headers.all("x-b"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_EQ(headers.get("x-c"), "");
  EXPECT_TRUE(headers.has("x-b"));
  EXPECT_FALSE(headers.has("x-c"));
}

TEST(Headers, SetReplacesAllOfThatName) {
  Headers headers{{"a", "1"}, {"b", "2"}, {"A", "3"}};
  headers.set("A", "4");
  EXPECT_EQ(headers.all("a"), std::vector<std::string_view>{"4"});
  headers.remove("B");
  EXPECT_EQ(headers.size(), 1U);
}

TEST(Headers, FindsTokensInLists) {
  const Headers headers{{"connection", "keep-alive, UPGRADE"},
                        {"connection", "x"},
                        {"accept-encoding", "br, gzip;q=0.5"}};
  EXPECT_TRUE(headers.has_token("connection", "upgrade"));
  EXPECT_TRUE(headers.has_token("connection", "X"));
  EXPECT_TRUE(headers.has_token("accept-encoding", "gzip"));
  EXPECT_FALSE(headers.has_token("connection", "keep"));
  EXPECT_FALSE(headers.has_token("connection", "alive, upgrade"));
  EXPECT_FALSE(headers.has_token("other", ""));
}

TEST(Headers, HonoursAWeightOfZero) {
  for (const auto* yes : {"gzip", "GZIP", "br, gzip", "gzip;q=0.5", "gzip ; Q=0.001", "gzip;x=0",
                          "gzip;q=1", "gzip;q="}) {
    EXPECT_TRUE((Headers{{"accept-encoding", yes}}).accepts("accept-encoding", "gzip")) << yes;
  }
  for (const auto* no :
       {"", "br", "gzip;q=0", "br, gzip;q=0.000", "gzip ; Q = 0.", "gzipped", "gzip;x=1;q=0"}) {
    EXPECT_FALSE((Headers{{"accept-encoding", no}}).accepts("accept-encoding", "gzip")) << no;
  }
}

TEST(RequestHead, TakesLittleMoreThanItsBytes) {
  RequestHead head{.method = "GET",
                   .target = std::string(2000, 't'),
                   .authority = "a",
                   .scheme = "https",
                   .version = Version::kHttp2,
                   .headers = {{"x", std::string(5000, 'x')}}};
  EXPECT_GE(head.memory(), 7000U);
  EXPECT_LE(head.memory(), 7500U);
  head.headers = {};
  EXPECT_GE(head.memory(), 2000U);
  EXPECT_LE(head.memory(), 2100U);
}

TEST(StatusText, KnowsTheCodesOfTheApi) {
  EXPECT_EQ(status_text(200), "OK");
  EXPECT_EQ(status_text(410), "Gone");
  EXPECT_EQ(status_text(422), "Unprocessable Entity");
  EXPECT_FALSE(status_text(299).empty());
}

TEST(IsToken, KnowsWhatRfc9110Allows) {
  for (const auto* good : {"GET", "x-a", "!#$%&'*+-.^_`|~09"}) EXPECT_TRUE(is_token(good)) << good;
  for (const auto* bad : {"", "a b", "a:b", "a/b", "a\r\n", "\xc3\xa4", "(a)", "\"a\"", "a\x7f"})
    EXPECT_FALSE(is_token(bad)) << bad;
}

}  // namespace proa::http
