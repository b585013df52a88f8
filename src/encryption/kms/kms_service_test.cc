#include "encryption/kms/kms_service.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf/wire.h"
#include "http/wire/grpc_frame.h"
#include "testkit/http/scripted_server.h"

namespace proa::encryption {
namespace kms_service_test {

using testkit::ScriptedHttp2;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

// What the plugin is asked, and what it shall answer.
struct Script {
  std::string answer;  // bytes
  std::string code = "0";
  std::string path;
  std::string request;  // bytes
};

struct PluginPeer : ScriptedHttp2 {
  PluginPeer(ScriptedPeer& peer, Script& shared) : ScriptedHttp2(peer), script(shared) {}

  void on_request(http::StreamId, http::RequestHead head, bool) override {
    script.path = head.target;
    script.request.clear();
  }
  void on_body(http::StreamId stream, std::string_view bytes) override {
    session.consume(stream, bytes.size());
    script.request += bytes;
  }
  void on_body_end(http::StreamId stream, http::Headers) override {
    script.request.erase(0, 5);  // the frame's head
    session.respond(stream, {200, {{"content-type", "application/grpc"}}}, false);
    if (script.code == "0") session.send(stream, http::print_grpc_frame(script.answer));
    session.end(stream, {{"grpc-status", script.code}, {"grpc-message", "sealed"}});
  }

  Script& script;
};

// One call at a time: the script is read when its answer has come.
class KmsServiceTest : public testing::Test {
 protected:
  // A field of the request; empty if it is absent.
  std::string asked(uint32_t number) const {
    api::WireReader reader(script_.request);
    api::WireField field;
    std::string found;
    while (reader.next(field)) {
      if (field.number == number) found = field.bytes;
    }
    return found;
  }

  Script script_;
  SystemClock clock_;
  SystemRandom random_;
  Metrics registry_;
  EncryptionMetrics metrics_{registry_, clock_, "me"};
  ScriptedServer server_{[this](ScriptedPeer& peer, int) { PluginPeer(peer, script_).run(); }};
  std::unique_ptr<KmsService> kms_ =
      connect_kms({.name = "vault", .socket = "", .timeout = std::chrono::seconds(20)},
                  server_.origin(), metrics_, random_);
};

TEST_F(KmsServiceTest, AsksForTheStatus) {
  script_.answer = "\x0a\x02v2\x12\x02ok\x1a\x03key";
  const auto status = kms_->status();
  ASSERT_TRUE(status.ok()) << status.status().message();
  EXPECT_EQ(script_.path, "/v2.KeyManagementService/Status");
  EXPECT_EQ(script_.request, "");
  EXPECT_EQ(status->version, "v2");
  EXPECT_EQ(status->healthz, "ok");
  EXPECT_EQ(status->key_id, "key");
}

TEST_F(KmsServiceTest, EncryptsAndDecryptsBytes) {
  const std::string seed("\0\xff seed", 7);
  script_.answer = std::string(
      "\x0a\x02\xfe\x00\x12\x03key\x1a\x08\x0a\x03"
      "a.b\x12\x01\xff",
      19);
  const auto encrypted = kms_->encrypt(seed);
  ASSERT_TRUE(encrypted.ok()) << encrypted.status().message();
  EXPECT_EQ(script_.path, "/v2.KeyManagementService/Encrypt");
  EXPECT_EQ(asked(1), seed);
  EXPECT_EQ(asked(2).size(), 36u) << "a UUID";
  EXPECT_EQ(encrypted->ciphertext, std::string("\xfe\0", 2));
  EXPECT_EQ(encrypted->key_id, "key");
  EXPECT_EQ(encrypted->annotations, (Annotations{{"a.b", "\xff"}}));

  script_.answer = std::string("\x0a\x07", 2) + seed;
  const auto plain = kms_->decrypt({.data = {},
                                    .key_id = "key",
                                    .source = encrypted->ciphertext,
                                    .annotations = encrypted->annotations});
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  EXPECT_EQ(script_.path, "/v2.KeyManagementService/Decrypt");
  EXPECT_EQ(asked(1), encrypted->ciphertext);
  EXPECT_EQ(asked(3), "key");
  EXPECT_EQ(asked(4), std::string("\x0a\x03"
                                  "a.b\x12\x01\xff",
                                  8));
  EXPECT_EQ(*plain, seed);
}

TEST_F(KmsServiceTest, FailuresKeepTheirCode) {
  script_.code = "14";
  const auto status = kms_->status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.status().message(), "sealed");
  EXPECT_EQ(status_label(status.status()), "Unavailable");
  EXPECT_NE(registry_.text().find(
                "kms_operations_latency_seconds_count{provider_name=\"vault\",method_name=\"/v2."
                "KeyManagementService/Status\",grpc_status_code=\"Unavailable\"} 1"),
            std::string::npos)
      << registry_.text();
}

}  // namespace kms_service_test
}  // namespace proa::encryption
