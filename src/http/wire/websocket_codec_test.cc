#include "http/wire/websocket_codec.h"

#include <gtest/gtest.h>

namespace proa::http {
namespace websocket_codec_test {

using Role = WebSocketCodec::Role;
using Kind = WebSocketCodec::Kind;

struct Record final : WebSocketCodec::Events {
  void on_message(Kind kind, std::string_view message) override {
    text += (kind == Kind::kText ? "text " : "binary ") + std::string(message) + ";";
  }
  void on_close(uint16_t code, std::string_view reason) override {
    text += "close " + std::to_string(code) + " " + std::string(reason) + ";";
  }
  std::string text;
};

constexpr uint8_t kContinuation = 0, kTextFrame = 1, kBinaryFrame = 2, kCloseFrame = 8, kPing = 9,
                  kPong = 10;
constexpr uint8_t kFinal = 0x80;

// One frame by the letter of RFC 6455, 5.2, masked as clients must.
std::string frame(uint8_t first, std::string_view payload, bool masked = true) {
  std::string out(1, static_cast<char>(first));
  const auto mask_bit = static_cast<uint8_t>(masked ? 0x80 : 0);
  if (payload.size() < 126) {
    out += static_cast<char>(mask_bit | payload.size());
  } else {
    out += static_cast<char>(mask_bit | 126);
    out += static_cast<char>(payload.size() >> 8);
    out += static_cast<char>(payload.size() & 0xff);
  }
  const std::string mask = "\x01\x02\x03\x04";
  if (masked) out += mask;
  for (size_t i = 0; i < payload.size(); ++i)
    out += static_cast<char>(payload[i] ^ (masked ? mask[i % 4] : 0));
  return out;
}

std::string close_payload(uint16_t code, std::string_view reason = "") {
  return std::string{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)} +
         std::string(reason);
}

// The code of a close frame from the server: 1005 when it has none, 0 when `output` is something
// else.
int close_code(std::string_view output) {
  if (output == std::string_view("\x88\x00", 2)) return 1005;
  if (output.size() < 4 || static_cast<uint8_t>(output[0]) != (kFinal | kCloseFrame)) return 0;
  return static_cast<uint8_t>(output[2]) << 8 | static_cast<uint8_t>(output[3]);
}

struct Server {
  explicit Server(size_t max_message = 1000) : codec(Role::kServer, max_message, random, record) {}
  SeededRandom random{1};
  Record record;
  WebSocketCodec codec;
};

TEST(WebSocketCodec, ReadsTheExamplesOfTheRfc) {
  Server server;
  ASSERT_TRUE(server.codec.receive("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58").ok());
  EXPECT_EQ(server.record.text, "text Hello;");
  server.codec.send(Kind::kText, "Hello");
  EXPECT_EQ(server.codec.take_output(), "\x81\x05Hello");
}

TEST(WebSocketCodec, PutsFragmentsTogetherAroundControlFrames) {
  const std::string input = frame(kTextFrame, "Hel") + frame(kFinal | kPing, "p") +
                            frame(kContinuation, "l") + frame(kContinuation, "") +
                            frame(kFinal | kContinuation, "o") +
                            frame(kFinal | kBinaryFrame, std::string(300, 'x'));
  for (const bool split : {false, true}) {
    Server server;
    if (!split) {
      ASSERT_TRUE(server.codec.receive(input).ok());
    } else {
      for (const char& c : input) ASSERT_TRUE(server.codec.receive({&c, 1}).ok());
    }
    EXPECT_EQ(server.record.text, "text Hello;binary " + std::string(300, 'x') + ";");
    EXPECT_EQ(server.codec.take_output(), "\x8a\x01p");
  }
}

TEST(WebSocketCodec, TakesUnaskedPongsAndSendsPings) {
  Server server;
  ASSERT_TRUE(server.codec.receive(frame(kFinal | kPong, "x")).ok());
  EXPECT_EQ(server.codec.take_output(), "");
  server.codec.ping();
  EXPECT_EQ(server.codec.take_output(), std::string("\x89\x00", 2));
}

TEST(WebSocketCodec, ClosesWithTheCodeOfTheViolation) {
  struct Case {
    std::string_view name;
    std::string input;
    int code;
  };
  const std::vector<Case> cases = {
      {"no mask", frame(kFinal | kTextFrame, "a", false), 1002},
      {"reserved bit", frame(kFinal | 0x40 | kTextFrame, "a"), 1002},
      {"reserved opcode", frame(kFinal | 3, "a"), 1002},
      {"reserved control opcode", frame(kFinal | 0xb, "a"), 1002},
      {"fragmented ping", frame(kPing, "a"), 1005},
      {"long ping", frame(kFinal | kPing, std::string(126, 'a')), 1005},
      {"continuation of nothing", frame(kFinal | kContinuation, "a"), 1002},
      {"new message inside another", frame(kTextFrame, "a") + frame(kFinal | kTextFrame, "b"),
       1002},
      {"length not minimal", std::string("\x81\xfe\x00\x01\x01\x02\x03\x04z", 9), 1005},
      {"length beyond 63 bits",
       std::string("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04", 14), 1005},
      {"too large", frame(kFinal | kBinaryFrame, std::string(1001, 'x')), 1009},
      {"too large in fragments",
       frame(kBinaryFrame, std::string(600, 'x')) + frame(kContinuation, std::string(600, 'x')),
       1009},
      {"announced too large",
       std::string("\x82\xff\x00\x00\x00\x00\x7f\xff\xff\xff\x01\x02\x03\x04x", 15), 1009},
      {"no UTF-8", frame(kFinal | kTextFrame, "\xc3\x28"), 1007},
      {"surrogate", frame(kFinal | kTextFrame, "\xed\xa0\x80"), 1007},
      {"UTF-8 cut at the end", frame(kFinal | kTextFrame, "\xc3"), 1007},
      {"UTF-8 broken over fragments",
       frame(kTextFrame, "\xc3") + frame(kFinal | kContinuation, "\x28"), 1007},
      {"close with a code for no wire", frame(kFinal | kCloseFrame, close_payload(1005)), 1002},
      {"close with code 0", frame(kFinal | kCloseFrame, close_payload(0)), 1002},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    for (const bool split : {false, true}) {
      Server server;
      bool failed = false;
      for (size_t i = 0; i < c.input.size() && !failed; i += split ? 1 : c.input.size()) {
        failed = !server.codec
                      .receive(std::string_view(c.input).substr(i, split ? 1 : std::string::npos))
                      .ok();
      }
      EXPECT_TRUE(failed);
      EXPECT_EQ(server.record.text, "");
      EXPECT_EQ(close_code(server.codec.take_output()), c.code);
    }
  }
}

TEST(WebSocketCodec, RefusesMasksFromServers) {
  SeededRandom random(1);
  Record record;
  WebSocketCodec client(Role::kClient, 1000, random, record);
  EXPECT_FALSE(client.receive(frame(kFinal | kTextFrame, "a", true)).ok());
  EXPECT_EQ(record.text, "");
}

TEST(WebSocketCodec, AcceptsUtf8OverFragments) {
  Server server;
  ASSERT_TRUE(
      server.codec.receive(frame(kTextFrame, "\xc3") + frame(kFinal | kContinuation, "\xa4")).ok());
  EXPECT_EQ(server.record.text, "text \xc3\xa4;");
}

TEST(WebSocketCodec, AnswersAClose) {
  for (const auto& [payload, expected] :
       {std::pair<std::string, std::string>{close_payload(1000, "bye"), "close 1000 bye;"},
        {close_payload(4999), "close 4999 ;"}}) {
    Server server;
    EXPECT_FALSE(server.codec.closed());
    ASSERT_TRUE(server.codec.receive(frame(kFinal | kCloseFrame, payload)).ok());
    EXPECT_EQ(server.record.text, expected);
    EXPECT_NE(close_code(server.codec.take_output()), 0);
    EXPECT_TRUE(server.codec.closed());
  }
}

TEST(WebSocketCodec, AnswersACloseWithoutCode) {
  for (const auto* payload : {"", "\x03"}) {
    Server server;
    ASSERT_TRUE(server.codec.receive(frame(kFinal | kCloseFrame, payload)).ok());
    EXPECT_TRUE(server.record.text.starts_with("close ")) << server.record.text;
    EXPECT_FALSE(server.codec.take_output().empty());
    EXPECT_TRUE(server.codec.closed());
  }
}

TEST(WebSocketCodec, PassesOnNoReasonThatIsNoText) {
  for (const size_t step : {1, 1000}) {
    Server server;
    const std::string input = frame(kFinal | kCloseFrame, close_payload(1000, "\xff"));
    for (size_t i = 0; i < input.size(); i += step) {
      static_cast<void>(server.codec.receive(std::string_view(input).substr(i, step)));
    }
    EXPECT_EQ(server.record.text.find('\xff'), std::string::npos);
    EXPECT_NE(close_code(server.codec.take_output()), 0);
  }
}

TEST(WebSocketCodec, ClosesOnceAndReadsNothingBehindAClose) {
  Server server;
  server.codec.close(1001, std::string(500, 'r'));
  const std::string output = server.codec.take_output();
  EXPECT_EQ(close_code(output), 1001);
  EXPECT_EQ(output.size(), 2U + 125U);
  server.codec.send(Kind::kText, "late");
  server.codec.close(1000, "");
  EXPECT_EQ(server.codec.take_output(), "");
  EXPECT_FALSE(server.codec.closed());
  ASSERT_TRUE(server.codec
                  .receive(frame(kFinal | kCloseFrame, close_payload(1001)) +
                           frame(kFinal | kTextFrame, "x"))
                  .ok());
  EXPECT_EQ(server.record.text, "close 1001 ;");
  EXPECT_TRUE(server.codec.closed());
}

TEST(WebSocketCodec, SpeaksWithItself) {
  SeededRandom random(7);
  Record heard_by_client, heard_by_server;
  WebSocketCodec client(Role::kClient, 1 << 20, random, heard_by_client);
  WebSocketCodec server(Role::kServer, 1 << 20, random, heard_by_server);
  const std::string large(100'000, 'L');
  client.send(Kind::kText, "hi");
  client.send(Kind::kBinary, large);
  client.ping();
  ASSERT_TRUE(server.receive(client.take_output()).ok());
  server.send(Kind::kText, "");
  ASSERT_TRUE(client.receive(server.take_output()).ok());
  client.close(1000, "done");
  ASSERT_TRUE(server.receive(client.take_output()).ok());
  ASSERT_TRUE(client.receive(server.take_output()).ok());
  EXPECT_EQ(heard_by_server.text, "text hi;binary " + large + ";close 1000 done;");
  EXPECT_EQ(heard_by_client.text, "text ;close 1000 done;");
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(server.closed());
}

TEST(WebSocketCodec, MasksEveryClientFrameAnew) {
  SeededRandom random(7);
  Record record;
  WebSocketCodec client(Role::kClient, 1000, random, record);
  client.send(Kind::kText, "same");
  const std::string first = client.take_output();
  client.send(Kind::kText, "same");
  const std::string second = client.take_output();
  ASSERT_EQ(first.size(), 2U + 4U + 4U);
  EXPECT_NE(first, second);
  EXPECT_EQ(static_cast<uint8_t>(first[1]), 0x84);
}

}  // namespace websocket_codec_test
}  // namespace proa::http
