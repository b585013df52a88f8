#include "apiserver/streaming/passed_fields.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace passed_fields_test {

http::Headers pass(http::Headers headers, Connection connection = Connection::kProxy,
                   const std::string& from = "10.9.8.7") {
  http::RequestHead head;
  head.target = "/api/v1/namespaces/ns/pods/web/proxy/a?b=c";
  head.headers = std::move(headers);
  http::Peer peer;
  peer.address = from;
  return passed_fields(head, peer, http::parse_target(head.target).value(),
                       {.connection = connection});
}

TEST(PassedFields, AreThoseOfTheClientWithoutItsCredentials) {
  const http::Headers passed = pass({{"authorization", "Bearer secret"},
                                     {"impersonate-user", "root"},
                                     {"impersonate-extra-scopes", "all"},
                                     {"x-remote-user", "root"},
                                     {"x-remote-group", "system:masters"},
                                     {"x-remote-extra-x", "y"},
                                     {"connection", "x-mine, keep-alive"},
                                     {"x-mine", "1"},
                                     {"proxy-authorization", "secret"},
                                     {"cookie", "session"},
                                     {"accept-encoding", "gzip"},
                                     {"user-agent", "browser"}});
  EXPECT_EQ(passed.get("cookie"), "session");
  EXPECT_EQ(passed.get("accept-encoding"), "gzip");
  EXPECT_EQ(passed.get("user-agent"), "browser");
  EXPECT_EQ(passed.get("x-forwarded-for"), "10.9.8.7");
  EXPECT_EQ(passed.get("x-forwarded-uri"), "/api/v1/namespaces/ns/pods/web/proxy/a");
  EXPECT_EQ(passed.size(), 5U);
}

TEST(PassedFields, SayWhereTheRequestCameFrom) {
  EXPECT_EQ(
      pass({{"x-forwarded-for", "1.1.1.1"}, {"x-forwarded-for", "2.2.2.2"}}).get("x-forwarded-for"),
      "1.1.1.1, 2.2.2.2, 10.9.8.7");
  EXPECT_FALSE(pass({}, Connection::kProxy, "").has("x-forwarded-for"));
  EXPECT_EQ(pass({{"x-forwarded-uri", "/mine"}}).all("x-forwarded-uri").size(), 1U);
  EXPECT_FALSE(pass({}, Connection::kStream).has("x-forwarded-uri"));
}

TEST(PassedFields, HaveNoTokenAmongTheSubprotocols) {
  const std::string token = "base64url.bearer.authorization.k8s.io.c2VjcmV0";
  for (const auto& [given, left] : std::vector<std::pair<std::string, std::string>>{
           {"v4.channel.k8s.io", "v4.channel.k8s.io"},
           {"v4.channel.k8s.io, " + token, "v4.channel.k8s.io"},
           {token + ",a,b", "a, b"},
           {token + "," + token, ""},
           {"\t" + token, ""}}) {
    const http::Headers passed = pass({{"sec-websocket-protocol", given}}, Connection::kStream);
    EXPECT_EQ(passed.get("sec-websocket-protocol"), left) << given;
    EXPECT_EQ(passed.has("sec-websocket-protocol"), !left.empty()) << given;
  }
}

TEST(PassedFields, OfALogAreNone) {
  EXPECT_TRUE(pass({{"cookie", "session"}, {"range", "bytes=1-"}}, Connection::kLog).empty());
}

TEST(KeepFromCaches, LeavesWhatTheOtherServerSays) {
  http::ResponseHead head{200, {{"cache-control", "max-age=60"}, {"x-a", "1"}}};
  keep_from_caches(head);
  EXPECT_EQ(head.headers.all("cache-control"),
            (std::vector<std::string_view>{"no-cache, private", "max-age=60"}));
  EXPECT_EQ(head.headers.get("x-a"), "1");
  http::ResponseHead switched{101, {}};
  keep_from_caches(switched);
  EXPECT_TRUE(switched.headers.empty());
}

}  // namespace passed_fields_test
}  // namespace proa::apiserver
