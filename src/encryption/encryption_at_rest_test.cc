#include "encryption/encryption_at_rest.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "store/rocks/rocks_store.h"
#include "testkit/memory_files.h"

namespace proa::encryption {
namespace encryption_at_rest_test {

constexpr const char* kPath = "/etc/encryption.yaml";

std::string configuration(const std::string& providers) {
  return "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
         "- {resources: [secrets], providers: [" +
         providers + "]}\n";
}
std::string gcm(const std::string& name) {
  return "{aesgcm: {keys: [{name: " + name + ", secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}}";
}

class EncryptionAtRestTest : public testing::Test {
 protected:
  EncryptionAtRestTest()
      : directory_((std::filesystem::temp_directory_path() / "proa-encryption-XXXXXX").string()) {
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
  }
  ~EncryptionAtRestTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<EncryptionAtRest> open(const std::string& path = kPath) {
    auto opened = EncryptionAtRest::open({.path = path, .reload = true, .server = "me"}, files_,
                                         clock_, random_);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  Result<std::unique_ptr<store::Store>> open_store(const EncryptionAtRest& encryption) {
    store::RocksOptions options;
    options.transformer = encryption.transformer();
    return store::open_rocks_store(directory_ + "/store", clock_, random_, options);
  }
  static void put(store::Store& store, const std::string& value) {
    const auto done =
        store.commit({{}, {store::Put{"/registry/secrets/default/a", Bytes(value), {}}}},
                     store::Durability::kSynced);
    EXPECT_TRUE(done.ok());
  }

  std::string directory_;
  SystemClock clock_;
  SystemRandom random_;
  testkit::MemoryFiles files_;
};

TEST_F(EncryptionAtRestTest, ReloadsWhatTheStoreCanBeReadWith) {
  files_.content[kPath] = configuration(gcm("a"));
  auto encryption = open();
  auto store = std::move(*open_store(*encryption));
  put(*store, "one");
  EXPECT_FALSE(*encryption->reload(*store)) << "nothing changed";

  files_.content[kPath] = configuration(gcm("b"));
  const auto unreadable = encryption->reload(*store);
  ASSERT_FALSE(unreadable.ok());
  EXPECT_EQ(unreadable.status().message(),
            "unable to transform key \"/registry/secrets/default/a\": no matching key was found "
            "for the provided AES transformer; the value on disk begins with "
            "\"k8s:enc:aesgcm:v1:a:\"");
  files_.content[kPath] = "nonsense: [";
  EXPECT_FALSE(encryption->reload(*store).ok());

  files_.content[kPath] = configuration(gcm("b") + ", " + gcm("a"));
  const auto reloaded = encryption->reload(*store);
  ASSERT_TRUE(reloaded.ok()) << reloaded.status().message();
  EXPECT_TRUE(*reloaded);
  ASSERT_TRUE(store->reencode([](const store::ReencodeProgress&) {}, {}).ok());
  files_.content[kPath] = configuration(gcm("b"));
  ASSERT_TRUE(encryption->reload(*store).ok());
  const std::string text = encryption->metrics_text();
  EXPECT_NE(text.find("automatic_reloads_total{status=\"success\""), std::string::npos) << text;
  EXPECT_NE(text.find("automatic_reloads_total{status=\"failure\""), std::string::npos);
  EXPECT_NE(text.find("last_config_info{"), std::string::npos);
  store.reset();
  store = std::move(*open_store(*encryption));
  EXPECT_EQ((*store->get("/registry/secrets/default/a"))->value(), "one");
}

TEST_F(EncryptionAtRestTest, WithoutAConfigurationEncryptedValuesAreRefused) {
  files_.content[kPath] = configuration(gcm("a"));
  auto encryption = open();
  auto store = std::move(*open_store(*encryption));
  put(*store, "one");
  store.reset();
  const auto without = open("");
  const auto refused = open_store(*without);
  ASSERT_TRUE(refused.is(Reason::kForbidden));
  EXPECT_NE(refused.status().message().find(
                "unable to transform key \"/registry/secrets/default/a\": objects are encrypted: "
                "pass the --encryption-provider-config they were written with"),
            std::string::npos)
      << refused.status().message();
}

}  // namespace encryption_at_rest_test
}  // namespace proa::encryption
