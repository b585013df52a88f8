// Servers on an etcd: what clients and etcdctl see of them.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "admin.h"
#include "server.h"
#include "testkit/http/test_server.h"
#include "testkit/patience.h"
#include "testkit/store/test_etcd.h"

namespace proa::e2e {
namespace {

using testkit::TestEtcd;

class EtcdTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!TestEtcd::missing().empty()) GTEST_SKIP() << TestEtcd::missing();
    etcd_.emplace();
  }

  std::vector<std::string> flags() const {
    return {"--store", "etcd://127.0.0.1:" + std::to_string(etcd_->port())};
  }
  std::string etcdctl(const std::string& words) const {
    return run_shell("ETCDCTL_API=3 etcdctl --endpoints " + etcd_->url() + " " + words).text;
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/one";
  std::optional<TestEtcd> etcd_;
};

TEST_F(EtcdTest, ObjectsAreWhereEtcdctlFindsThem) {
  Server server(data_dir_, "server", flags());
  ASSERT_TRUE(server.ready()) << server.said();
  Admin admin(data_dir_);
  const auto made = admin.ask("POST", kMaps, config_map("a", 1));
  ASSERT_EQ(made.code, 201);
  const uint64_t version = version_of(made.root());
  EXPECT_GT(version, 0u);
  EXPECT_EQ(admin.list().items.at("a").version, version);

  const std::string stored = etcdctl("get --print-value-only /registry/configmaps/default/a");
  const auto object = json::parse(stored);
  ASSERT_TRUE(object.ok()) << stored;
  EXPECT_EQ(text_at(object->root(), {"kind"}), "ConfigMap");
  EXPECT_EQ(text_at(object->root(), {"data", "number"}), "1");
  EXPECT_EQ(text_at(object->root(), {"metadata", "resourceVersion"}), "");
  EXPECT_NE(etcdctl("get -w json /registry/configmaps/default/a")
                .find("\"mod_revision\":" + std::to_string(version)),
            std::string::npos);

  const auto metrics = admin.send("GET", "/metrics", "", "text/plain");
  ASSERT_TRUE(metrics.ok());
  for (const char* name : {"etcd_requests_total{operation=\"Txn\"", "etcd_request_duration_seconds",
                           "apiserver_storage_size_bytes"}) {
    EXPECT_NE(metrics->body.view().find(name), std::string_view::npos) << name;
  }
  EXPECT_EQ(admin.ask("DELETE", std::string(kMaps) + "/a").code, 200);
  EXPECT_EQ(etcdctl("get --print-value-only /registry/configmaps/default/a"), "");
  EXPECT_EQ(server.stop(SIGTERM), 0) << server.said();
}

TEST_F(EtcdTest, TwoServersAreOneCluster) {
  Server one(data_dir_, "server", flags());
  ASSERT_TRUE(one.ready()) << one.said();
  const std::string other_dir = folder_.path() + "/two";
  std::filesystem::create_directory(other_dir);
  std::filesystem::permissions(other_dir, std::filesystem::perms(0700));
  std::filesystem::copy(data_dir_ + "/tls", other_dir + "/tls",
                        std::filesystem::copy_options::recursive);
  std::filesystem::permissions(other_dir + "/tls", std::filesystem::perms(0700));
  Server two(other_dir, "server", flags());
  ASSERT_TRUE(two.ready()) << two.said();
  Admin first(data_dir_);
  Admin second(other_dir);
  for (int i = 0; i < 20; ++i) {
    Admin& writer = i % 2 == 0 ? first : second;
    Admin& reader = i % 2 == 0 ? second : first;
    const std::string name = "map-" + std::to_string(i);
    ASSERT_EQ(writer.ask("POST", kMaps, config_map(name, i)).code, 201);
    ASSERT_EQ(reader.ask("GET", std::string(kMaps) + "/" + name).code, 200);
    EXPECT_TRUE(reader.list().items.contains(name));
  }
}

TEST_F(EtcdTest, HealthFollowsEtcd) {
  Server server(data_dir_, "server", flags());
  ASSERT_TRUE(server.ready()) << server.said();
  Admin admin(data_dir_);
  ASSERT_EQ(admin.ask("POST", kMaps, config_map("a", 1)).code, 201);
  EXPECT_EQ(admin.ask("GET", "/readyz/etcd").code, 200);
  etcd_->kill();
  EXPECT_TRUE(
      testkit::holds_within(30s, [&] { return admin.ask("GET", "/readyz/etcd").code == 500; }));
  EXPECT_EQ(admin.ask("GET", "/livez/etcd").code, 500);
  // What need not be the newest is answered from memory.
  EXPECT_EQ(admin.ask("GET", std::string(kMaps) + "?resourceVersion=0").code, 200);
  EXPECT_GE(admin.ask("POST", kMaps, config_map("b", 2)).code, 500);
  etcd_->start();
  EXPECT_TRUE(
      testkit::holds_within(30s, [&] { return admin.ask("GET", "/readyz/etcd").code == 200; }));
  EXPECT_TRUE(testkit::holds_within(
      30s, [&] { return admin.ask("POST", kMaps, config_map("c", 3)).code == 201; }));
}

TEST_F(EtcdTest, ConnectsWithACertificate) {
  const testkit::TempDir folder;
  const std::string authority =
      folder.write("authority.crt", testkit::test_authority().certificate_pem);
  const std::string served = folder.write("server.crt", testkit::test_server_key().certificate_pem);
  const std::string serving =
      folder.write("server.key", testkit::test_server_key().private_key_pem);
  const std::string shown = folder.write("client.crt", testkit::test_client_key().certificate_pem);
  const std::string showing =
      folder.write("client.key", testkit::test_client_key().private_key_pem);
  etcd_.reset();
  etcd_.emplace(std::vector<std::string>{"--cert-file=" + served, "--key-file=" + serving,
                                         "--client-cert-auth", "--trusted-ca-file=" + authority},
                true);
  Server server(data_dir_, "server",
                {"--etcd-servers", etcd_->url(), "--etcd-cafile", authority, "--etcd-certfile",
                 shown, "--etcd-keyfile", showing, "--etcd-prefix", "/clusters/one"});
  ASSERT_TRUE(server.ready()) << server.said() << etcd_->log();
  Admin admin(data_dir_);
  EXPECT_EQ(admin.ask("POST", kMaps, config_map("a", 1)).code, 201);
  EXPECT_NE(etcdctl("--cacert " + authority + " --cert " + shown + " --key " + showing +
                    " get --keys-only /clusters/one/configmaps/default/a"),
            "");
}

}  // namespace
}  // namespace proa::e2e
