#include "kubelet/node/server/stream_request.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace stream_request_test {

http::Target target(std::string_view query) {
  return http::parse_target("/x?" + std::string(query)).value();
}

http::RequestHead request(std::string_view upgrade, std::string_view subprotocol = {}) {
  http::RequestHead head;
  head.method = "GET";
  if (!upgrade.empty()) {
    head.headers.add("connection", "Upgrade");
    head.headers.add("upgrade", upgrade);
  }
  if (!subprotocol.empty()) head.headers.add("sec-websocket-protocol", subprotocol);
  return head;
}

}  // namespace stream_request_test

using stream_request_test::request;
using stream_request_test::target;

TEST(StreamChoices, AreReadFromTheQuery) {
  const cri::StreamChoices all = read_stream_choices(target("input=1&output=1&error=1")).value();
  EXPECT_TRUE(all.input && all.output && all.errors && !all.tty);
  const cri::StreamChoices tty = read_stream_choices(target("tty=1&output=1&error=1")).value();
  EXPECT_TRUE(tty.tty && !tty.errors);
  EXPECT_FALSE(read_stream_choices(target("output=true")).ok());
  EXPECT_FALSE(read_stream_choices(target("tty=1&error=1")).ok());
}

TEST(ReadPorts, AreOnlyNeededForWebSockets) {
  EXPECT_TRUE(read_ports(target(""), request("SPDY/3.1")).value().empty());
  const std::vector<int32_t> ports{80, 443, 8080};
  EXPECT_EQ(read_ports(target("port=80,443&port=8080"), request("websocket")).value(), ports);
  struct Case {
    const char* query;
    const char* message;
  };
  for (const Case& c : {Case{"", R"(query parameter "port" is required)"},
                        Case{"port=x", R"(unable to parse "x" as a port)"},
                        Case{"port=65536", R"(unable to parse "65536" as a port)"},
                        Case{"port=0", R"(port "0" must be > 0)"}}) {
    const auto refused = read_ports(target(c.query), request("websocket"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().message(), c.message);
  }
}

TEST(CheckProtocol, RefusesWhatTheRuntimeDoesNotSpeak) {
  struct Case {
    const char* upgrade;
    const char* subprotocol;
    bool good;
  };
  const Case cases[] = {
      {"", "", false},
      {"SPDY/3.1", "", true},
      {"spdy/3.1", "", true},
      {"h2c", "", false},
      {"websocket", "", true},
      {"websocket", "v4.channel.k8s.io", true},
      {"websocket", "v5.channel.k8s.io", false},
      {"websocket", "v5.channel.k8s.io, v4.channel.k8s.io", true},
      {"websocket", "SPDY/3.1+portforward.k8s.io", false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.upgrade) + " " + c.subprotocol);
    const Result<void> checked = check_protocol(request(c.upgrade, c.subprotocol));
    EXPECT_EQ(checked.ok(), c.good);
    if (!checked.ok()) {
      EXPECT_EQ(checked.status().code(), 400);
    }
  }
}

TEST(RuntimeRequest, TakesNoCredentialsAlong) {
  http::RequestHead head = request("SPDY/3.1");
  head.method = "POST";
  head.headers.add("authorization", "Bearer secret");
  head.headers.add("cookie", "secret");
  head.headers.add("x-stream-protocol-version", "v4.channel.k8s.io");
  const http::ClientRequest made = runtime_request("http://127.0.0.1:4000/exec/abc", head).value();
  EXPECT_EQ(made.method, "POST");
  EXPECT_EQ(made.target, "/exec/abc");
  EXPECT_EQ(made.origin.port, 4000);
  EXPECT_EQ(made.headers.size(), 3U);
  EXPECT_EQ(made.headers.get("x-stream-protocol-version"), "v4.channel.k8s.io");
}

TEST(RuntimeRequest, StaysOnThisMachine) {
  for (const char* url : {"http://10.0.0.1:4000/x", "https://127.0.0.1:4000/x",
                          "http://localhost:4000/x", "http://127.0.0.1.example.com/x", "unix:/x"}) {
    EXPECT_FALSE(runtime_request(url, request("SPDY/3.1")).ok()) << url;
  }
  EXPECT_TRUE(runtime_request("http://[::1]:4000/x", request("SPDY/3.1")).ok());
}

}  // namespace proa::kubelet
