#include "encryption/kms/kms_provider.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "testkit/encryption/fake_kms.h"
#include "testkit/fake_clock.h"

namespace proa::encryption {
namespace kms_provider_test {

using namespace std::chrono_literals;
using testkit::FakeKms;
using testkit::FakeKmsState;

constexpr std::string_view kPlain = R"({"kind":"Secret"})";
constexpr std::string_view kPlace = "/registry/secrets/default/a";

class KmsTest : public testing::Test {
 protected:
  std::shared_ptr<KmsPlugin> plugin() {
    return std::make_shared<KmsPlugin>("vault", std::make_unique<FakeKms>(state_), metrics_,
                                       random_);
  }
  static std::string encrypted(const Provider& provider) {
    std::string out;
    const auto done = provider.encrypt(kPlace, kPlain, out);
    EXPECT_TRUE(done.ok()) << done.status().message();
    return out;
  }

  testkit::FakeClock clock_;
  SystemRandom random_;
  Metrics registry_;
  EncryptionMetrics metrics_{registry_, clock_, "me"};
  std::shared_ptr<FakeKmsState> state_ = std::make_shared<FakeKmsState>();
  std::shared_ptr<KmsPlugin> plugin_ = plugin();
  KmsProvider provider_{plugin_, metrics_, random_};
};

TEST_F(KmsTest, ValuesComeBackWithoutAskingThePlugin) {
  ASSERT_TRUE(plugin_->probe().ok());
  EXPECT_EQ(provider_.prefix(), "k8s:enc:kms:v2:vault:");
  const std::string one = encrypted(provider_);
  EXPECT_NE(one, encrypted(provider_)) << "each has its own key and nonce";
  EXPECT_EQ(one.find("Secret"), std::string::npos);
  EXPECT_EQ(*provider_.decrypt(kPlace, one), kPlain);
  EXPECT_FALSE(provider_.decrypt("/registry/secrets/default/b", one).ok());
  EXPECT_FALSE(provider_.is_stale(kPlace, one));
  EXPECT_EQ(state_->encrypt_calls(), 1);
  EXPECT_EQ(state_->decrypt_calls(), 0);
}

TEST_F(KmsTest, ARestartAsksOnceForEachSeed) {
  ASSERT_TRUE(plugin_->probe().ok());
  const std::string one = encrypted(provider_);
  const std::string two = encrypted(provider_);
  const auto again = plugin();
  ASSERT_TRUE(again->probe().ok());
  const KmsProvider restarted(again, metrics_, random_);
  EXPECT_EQ(*restarted.decrypt(kPlace, one), kPlain);
  EXPECT_EQ(*restarted.decrypt(kPlace, two), kPlain);
  EXPECT_EQ(state_->decrypt_calls(), 1);
  EXPECT_FALSE(restarted.is_stale(kPlace, one)) << "another seed, but the same key of the KMS";
  EXPECT_NE(registry_.text().find("apiserver_envelope_encryption_dek_source_cache_size{provider_"
                                  "name=\"vault\"} 1"),
            std::string::npos);
}

TEST_F(KmsTest, AnotherKeyOfThePluginMakesValuesStale) {
  ASSERT_TRUE(plugin_->probe().ok());
  const std::string before = encrypted(provider_);
  state_->set_key("2");
  ASSERT_TRUE(plugin_->probe().ok());
  EXPECT_TRUE(provider_.is_stale(kPlace, before));
  EXPECT_EQ(*provider_.decrypt(kPlace, before), kPlain);
  EXPECT_FALSE(provider_.is_stale(kPlace, encrypted(provider_)));
}

TEST_F(KmsTest, WritesGoOnForThreeMinutesWithoutThePlugin) {
  EXPECT_TRUE(provider_.writable().is(Reason::kInternalError)) << "there is no data key yet";
  ASSERT_TRUE(plugin_->probe().ok());
  state_->set_down(true);
  clock_.advance(2min);
  const auto failed = plugin_->probe();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().message(),
            "failed to perform status section of the healthz check for KMS Provider vault, error: "
            "the plugin is down");
  EXPECT_FALSE(plugin_->health().ok());
  EXPECT_TRUE(provider_.writable().ok());
  clock_.advance(1min + 1s);
  const auto refused = provider_.writable();
  ASSERT_TRUE(refused.is(Reason::kInternalError));
  EXPECT_NE(refused.status().message().find("encryptedDEKSource with keyID hash \"sha256:"),
            std::string::npos);
  EXPECT_NE(refused.status().message().find("expired at"), std::string::npos);
  EXPECT_FALSE(encrypted(provider_).empty()) << "a commit that was accepted is written";
  state_->set_down(false);
  ASSERT_TRUE(plugin_->probe().ok());
  EXPECT_TRUE(provider_.writable().ok());
  EXPECT_TRUE(plugin_->health().ok());
  EXPECT_EQ(state_->encrypt_calls(), 1) << "the same key of the KMS: the same seed";
}

TEST_F(KmsTest, AnUnhealthyPluginIsSaidToBeSo) {
  state_->set_healthz("sealed");
  const auto failed = plugin_->probe();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().message(),
            "kmsv2 Provider vault is not healthy, error: got unexpected healthz status: sealed");
  state_->set_healthz("ok");
  state_->set_key("");
  EXPECT_NE(plugin_->probe().status().message().find("keyID is empty"), std::string::npos);
  EXPECT_NE(registry_.text().find("apiserver_envelope_encryption_invalid_key_id_from_status_total{"
                                  "provider_name=\"vault\",error=\"empty\"} 1"),
            std::string::npos)
      << registry_.text();
}

TEST_F(KmsTest, APluginThatIsDownIsAskedAgainLater) {
  ASSERT_TRUE(plugin_->probe().ok());
  const std::string one = encrypted(provider_);
  const KmsProvider restarted(plugin(), metrics_, random_);
  state_->set_down(true);
  EXPECT_TRUE(restarted.decrypt(kPlace, one).is(Reason::kServiceUnavailable));
  state_->set_down(false);
  EXPECT_EQ(*restarted.decrypt(kPlace, one), kPlain);
}

TEST(EncryptedObject, ComesBackAndEveryCutIsRefused) {
  const EncryptedObject object{.data = "data",
                               .key_id = "key",
                               .source = "source",
                               .annotations = {{"a.example.com", "x"}, {"b.example.com", "y"}},
                               .source_type = EncryptedObject::Source::kSeed};
  const std::string bytes = encode_encrypted_object(object);
  // What protoc's code makes of the same message.
  EXPECT_EQ(to_hex(bytes),
            "0a0464617461120"
            "36b6579"
            "1a06736f75726365"
            "22120a0d612e6578616d706c652e636f6d120178"
            "22120a0d622e6578616d706c652e636f6d120179"
            "2801");
  const auto read = decode_encrypted_object(bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->data, "data");
  EXPECT_EQ(read->annotations, object.annotations);
  EXPECT_EQ(cache_key_of(*read), cache_key_of(object));
  // Up to the end of the source, all is needed.
  for (size_t size = 0; size < 19; ++size) {
    EXPECT_FALSE(decode_encrypted_object(bytes.substr(0, size)).ok()) << size;
  }
  EncryptedObject wrong = object;
  wrong.key_id = std::string(1025, 'k');
  EXPECT_EQ(decode_encrypted_object(encode_encrypted_object(wrong)).status().message(),
            "failed to validate key id: keyID is 1025 bytes, which exceeds the max size of 1024");
  wrong = object;
  wrong.annotations = {{"not a domain", "x"}};
  EXPECT_FALSE(decode_encrypted_object(encode_encrypted_object(wrong)).ok());
}

}  // namespace kms_provider_test
}  // namespace proa::encryption
