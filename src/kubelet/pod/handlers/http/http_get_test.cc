#include "kubelet/pod/handlers/http/http_get.h"

#include <gtest/gtest.h>

#include <thread>

#include "json/parse.h"
#include "testkit/http/scripted_server.h"
#include "testkit/http/test_server.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

HttpGet request_to(int port, std::string target = "/") {
  HttpGet request;
  request.host = "127.0.0.1";
  request.port = port;
  request.target = std::move(target);
  return request;
}

TEST(ResolvePort, TakesNumbersAndNames) {
  const auto container = *json::parse(R"({"ports":[{"name":"web","containerPort":8080}]})");
  struct Case {
    std::string_view port;
    std::string_view expected;
  };
  for (const Case& c :
       {Case{"80", "80"}, Case{"\"web\"", "8080"}, Case{"\"90\"", "90"},
        Case{"0", "invalid port number: 0"}, Case{"70000", "invalid port number: 70000"},
        Case{"\"db\"", "strconv.Atoi: parsing \"db\": invalid syntax"}}) {
    SCOPED_TRACE(c.port);
    const auto port = *json::parse(c.port);
    const auto found = resolve_port(port.root(), container.root());
    EXPECT_EQ(found.ok() ? std::to_string(*found) : found.status().message(), c.expected);
  }
}

TEST(MakeHttpGet, FillsInWhatIsNotSaid) {
  const auto bare = *json::parse(R"({"port":80})");
  const auto request = make_http_get(bare.root(), {}, "fd00::1", "probe");
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->url(), "http://[fd00::1]:80/");
  EXPECT_EQ(request->headers.get("user-agent"), "kube-probe/1.36");
  EXPECT_EQ(request->headers.get("accept"), "*/*");
  const auto full = *json::parse(
      R"({"port":443,"scheme":"HTTPS","host":"h","path":"x","httpHeaders":[)"
      R"({"name":"Host","value":"site"},{"name":"Accept","value":""},)"
      R"({"name":"User-Agent","value":"me"},{"name":"X-A","value":"1"},{"name":"x-a","value":"2"}]})");
  const auto other = make_http_get(full.root(), {}, "10.0.0.1", "lifecycle");
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->url(), "https://h:443/x");
  EXPECT_EQ(other->host_field, "site");
  EXPECT_FALSE(other->headers.has("accept"));
  EXPECT_EQ(other->headers.get("user-agent"), "me");
  EXPECT_EQ(other->headers.all("x-a").size(), 2u);
}

TEST(HttpGetting, SendsWhatWasAskedForAndCutsTheBody) {
  std::string seen;
  testkit::TestServer server(
      [&](http::ExchangePtr exchange) {
        const auto& head = exchange->request();
        seen = head.authority + head.target + " " + std::string(head.headers.get("x-a"));
        exchange->respond({200, {}, Bytes(std::string(20 * 1024, 'b')), {}});
      },
      false);
  const SystemClock clock;
  HttpGet request = request_to(server.port(), "/a?b");
  request.host_field = "site.example";
  request.headers.add("x-a", "1");
  const auto answer = http_get(request, clock, Until::after(clock, 5s));
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, std::string(10 * 1024, 'b'));
  EXPECT_EQ(seen, "site.example/a?b 1");
}

TEST(HttpGetting, TrustsAnyCertificate) {
  testkit::TestServer server(testkit::echo);
  const SystemClock clock;
  HttpGet request = request_to(server.port());
  request.tls = true;
  const auto answer = http_get(request, clock, Until::after(clock, 5s));
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->body, "hello");
}

TEST(HttpGetting, KnowsAPlainServerBehindHttps) {
  testkit::ScriptedServer server([](testkit::ScriptedPeer& peer, int) {
    peer.receive();
    peer.send("HTTP/1.0 400 Bad Request\r\n\r\n");
  });
  const SystemClock clock;
  HttpGet request = request_to(server.origin().port);
  request.tls = true;
  const auto answer = http_get(request, clock, Until::after(clock, 5s));
  ASSERT_FALSE(answer.ok());
  EXPECT_TRUE(is_plain_answer_to_tls(answer.status())) << answer.status().message();
}

TEST(HttpGetting, FollowsRedirectsToTheSameHostOnly) {
  testkit::TestServer server(
      [](http::ExchangePtr exchange) {
        const std::string target = exchange->request().target;
        http::Response response{302, {}, Bytes::of_static("moved"), {}};
        if (target == "/near") response.headers.add("location", "/end");
        if (target == "/far") response.headers.add("location", "http://elsewhere.example/");
        if (target == "/loop") response.headers.add("location", "/loop");
        if (target == "/end") response = {204, {}, {}, {}};
        exchange->respond(std::move(response));
      },
      false);
  const SystemClock clock;
  const auto get = [&](std::string target) {
    const auto answer =
        http_get(request_to(server.port(), std::move(target)), clock, Until::after(clock, 5s));
    return answer.ok() ? std::to_string(answer->status) : answer.status().message();
  };
  EXPECT_EQ(get("/near"), "204");
  EXPECT_EQ(get("/far"), "302");
  EXPECT_EQ(get("/nowhere"), "302");
  EXPECT_EQ(get("/loop"), "Get \"http://127.0.0.1:" + std::to_string(server.port()) +
                              "/loop\": stopped after 10 redirects");
}

TEST(HttpGetting, SaysWhatWentWrongAsGoDoes) {
  const SystemClock clock;
  const auto message = [&](const HttpGet& request, Duration time) {
    const auto answer = http_get(request, clock, Until::after(clock, time));
    return answer.ok() ? "answered" : answer.status().message();
  };
  EXPECT_EQ(message(request_to(1), 5s),
            "Get \"http://127.0.0.1:1/\": dial tcp 127.0.0.1:1: connect: connection refused");
  testkit::ScriptedServer silent([](testkit::ScriptedPeer& peer, int) { peer.receive_all(); });
  const int port = silent.origin().port;
  EXPECT_EQ(message(request_to(port), 20ms),
            "Get \"http://127.0.0.1:" + std::to_string(port) +
                "/\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
  testkit::ScriptedServer rude(
      [](testkit::ScriptedPeer& peer, int) { peer.receive_until("\r\n\r\n"); });
  const auto answer = http_get(request_to(rude.origin().port), clock, Until::after(clock, 5s));
  EXPECT_FALSE(answer.ok());
  HttpGet smuggling = request_to(1);
  smuggling.headers.add("x", "a\r\nb: c");
  EXPECT_EQ(message(smuggling, 5s),
            "Get \"http://127.0.0.1:1/\": net/http: invalid header field value for \"x\"");
}

TEST(HttpGetting, IsCalledOff) {
  const SystemClock clock;
  testkit::ScriptedServer silent([](testkit::ScriptedPeer& peer, int) { peer.receive_all(); });
  std::stop_source stop;
  std::jthread stopper([&] {
    while (silent.accepted() == 0) std::this_thread::yield();
    stop.request_stop();
  });
  const auto answer = http_get(request_to(silent.origin().port), clock,
                               Until::after(clock, 1min, stop.get_token()));
  ASSERT_FALSE(answer.ok());
  EXPECT_FALSE(answer.is(Reason::kTimeout));
}

}  // namespace
}  // namespace proa::kubelet
