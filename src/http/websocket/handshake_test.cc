#include "http/websocket/handshake.h"

#include <gtest/gtest.h>

#include <array>

namespace proa::http {
namespace handshake_test {

constexpr std::array<std::string_view, 2> kSupported = {"v5.channel.k8s.io", "v4.channel.k8s.io"};

// The request of RFC 6455, 1.3.
RequestHead example() {
  RequestHead request;
  request.method = "GET";
  request.target = "/chat";
  request.headers = {{"upgrade", "websocket"},
                     {"connection", "keep-alive, Upgrade"},
                     {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="},
                     {"sec-websocket-version", "13"}};
  return request;
}

TEST(WebSocketHandshake, AnswersTheExampleOfTheRfc) {
  const auto agreement = accept_websocket(example(), {});
  ASSERT_TRUE(agreement.ok());
  EXPECT_EQ(agreement->headers.get("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(agreement->headers.get("upgrade"), "websocket");
  EXPECT_FALSE(agreement->headers.has("sec-websocket-protocol"));
}

TEST(WebSocketHandshake, AgreesOnTheFirstSubprotocolThatBothSpeak) {
  for (const auto& [offered, agreed] :
       {std::pair{"v4.channel.k8s.io", "v4.channel.k8s.io"},
        {"x, v4.channel.k8s.io,v5.channel.k8s.io", "v4.channel.k8s.io"}}) {
    auto request = example();
    request.headers.add("sec-websocket-protocol", offered);
    const auto agreement = accept_websocket(request, kSupported);
    ASSERT_TRUE(agreement.ok());
    EXPECT_EQ(agreement->protocol, agreed);
    EXPECT_EQ(agreement->headers.get("sec-websocket-protocol"), agreed);
  }
  auto request = example();
  request.headers.add("sec-websocket-protocol", "v4.channel");
  EXPECT_FALSE(accept_websocket(request, kSupported).ok());
}

TEST(WebSocketHandshake, RefusesWhatIsNoHandshake) {
  const auto refused = [](auto change) {
    auto request = example();
    change(request);
    return accept_websocket(request, kSupported).is(Reason::kBadRequest);
  };
  EXPECT_TRUE(refused([](RequestHead& r) { r.method = "POST"; }));
  EXPECT_TRUE(refused([](RequestHead& r) { r.headers.remove("connection"); }));
  EXPECT_TRUE(refused([](RequestHead& r) { r.headers.set("upgrade", "h2c"); }));
  EXPECT_TRUE(refused([](RequestHead& r) { r.headers.set("sec-websocket-version", "8"); }));
  EXPECT_TRUE(refused([](RequestHead& r) { r.headers.remove("sec-websocket-key"); }));
  EXPECT_TRUE(refused([](RequestHead& r) { r.headers.set("sec-websocket-key", "c2hvcnQ="); }));
  EXPECT_TRUE(refused(
      [](RequestHead& r) { r.headers.set("sec-websocket-key", "!!!!!!!!!!!!!!!!!!!!!!=="); }));
}

TEST(WebSocketHandshake, IsAgreedOnByBothOfOurSides) {
  SeededRandom random(1);
  RequestHead request;
  const std::string key = ask_for_websocket(request, kSupported, random);
  EXPECT_TRUE(wants_websocket(request));
  const auto agreement = accept_websocket(request, kSupported);
  ASSERT_TRUE(agreement.ok());
  const auto checked = check_websocket_answer({101, agreement->headers}, key);
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(*checked, "v5.channel.k8s.io");
}

TEST(WebSocketHandshake, ChecksTheServersAnswer) {
  SeededRandom random(1);
  RequestHead request;
  const std::string key = ask_for_websocket(request, {}, random);
  const auto agreement = accept_websocket(request, {});
  ASSERT_TRUE(agreement.ok());
  EXPECT_TRUE(check_websocket_answer({101, agreement->headers}, key).ok());
  EXPECT_FALSE(check_websocket_answer({200, agreement->headers}, key).ok());
  EXPECT_FALSE(check_websocket_answer({101, agreement->headers}, "dGhlIHNhbXBsZSBub25jZQ==").ok());
  EXPECT_FALSE(check_websocket_answer({101, {}}, key).ok());
}

}  // namespace handshake_test
}  // namespace proa::http
