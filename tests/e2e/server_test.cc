// Starts the API as `proa up` and `proa server` do, uses it as clients do, and stops it as service
// managers do. The rest of `proa up` is tested in tests/node.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "admin.h"
#include "server.h"
#include "testkit/patience.h"

namespace proa::e2e {
namespace {

class ServerTest : public testing::Test {
 protected:
  std::string ask(const Server& server, const std::string& path,
                  const std::string& options = "") const {
    return run_shell("curl -sS -A test -m 10 " + options + " --cacert " + data_dir_ +
                     "/tls/authority.crt '" + server.url() + path + "'")
        .text;
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
};

TEST_F(ServerTest, ServesHealthAndVersionOverTrustedTls) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  for (const char* protocol : {"--http1.1", "--http2"}) {
    SCOPED_TRACE(protocol);
    EXPECT_EQ(ask(server, "/livez", protocol), "ok");
    const std::string readiness = ask(server, "/readyz?verbose", protocol);
    EXPECT_TRUE(readiness.starts_with("[+]ping ok\n")) << readiness;
    EXPECT_TRUE(readiness.ends_with("readyz check passed\n")) << readiness;
    EXPECT_EQ(ask(server, "/healthz", protocol), "ok");
    EXPECT_NE(ask(server, "/version", protocol).find("\"gitVersion\": \"v1.36."),
              std::string::npos);
    EXPECT_EQ(ask(server, "/api", std::string(protocol) + " -o /dev/null -w '%{http_code}'"),
              "401");
  }
  EXPECT_EQ(server.stop(SIGTERM), 0) << server.said();
  EXPECT_NE(server.said().find("Stopped."), std::string::npos) << server.said();
}

TEST_F(ServerTest, GivesUpWhatItDoesNotNeed) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  std::ifstream file("/proc/" + std::to_string(server.pid()) + "/status");
  std::string status((std::istreambuf_iterator<char>(file)), {});
  for (const std::string line : {"NoNewPrivs:\t1", "Seccomp:\t2"}) {
    EXPECT_NE(status.find(line), std::string::npos) << status;
  }
  // CAP_NET_BIND_SERVICE at most.
  const size_t place = status.find("CapEff:\t");
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(std::stoull(status.substr(place + 8, 16), nullptr, 16) & ~0x400ull, 0u) << status;
}

// A part of the API, whoever the controller manager is: upstream's needs it as well.
TEST_F(ServerTest, CustomResourcesNeedNoControllerManager) {
  Server server(data_dir_, "server", {"--controllers", "none"});
  ASSERT_TRUE(server.ready()) << server.said();
  Admin admin(data_dir_);
  const std::string all = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string mine = all + "/ships.example.com";
  ASSERT_EQ(admin
                .ask("POST", all,
                     R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                     R"("metadata":{"name":"ships.example.com"},"spec":{"group":"example.com",)"
                     R"("scope":"Cluster","names":{"plural":"ships","kind":"Ship"},"versions":[)"
                     R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
                     R"({"type":"object"}}}]}})")
                .code,
            201);
  EXPECT_TRUE(testkit::holds_within(20s, [&] {
    return admin
               .ask("POST", "/apis/example.com/v1/ships",
                    R"({"apiVersion":"example.com/v1","kind":"Ship","metadata":{"name":"a"}})")
               .code == 201;
  }));
  EXPECT_EQ(admin.ask("DELETE", mine).code, 200);
  EXPECT_TRUE(testkit::holds_within(20s, [&] { return admin.ask("GET", mine).code == 404; }));
}

TEST_F(ServerTest, RefusesADirectoryThatOthersMayWrite) {
  std::filesystem::create_directory(data_dir_);
  std::filesystem::permissions(data_dir_, std::filesystem::perms(0770));
  const Outcome refused = run_program("server --listen 127.0.0.1:0 --data-dir " + data_dir_);
  EXPECT_EQ(refused.code, 1) << refused.text;
  EXPECT_NE(refused.text.find("chmod go-w " + data_dir_), std::string::npos) << refused.text;
  EXPECT_TRUE(std::filesystem::is_empty(data_dir_));
}

TEST_F(ServerTest, WritesAKubeconfigForItsOwnerOnly) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const std::filesystem::path file = data_dir_ + "/admin.kubeconfig";
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // The administrator's certificate gives access to restricted paths.
  EXPECT_EQ(ask(server, "/api/v1/namespaces/default",
                "-o /dev/null -w '%{http_code}' --cert " + data_dir_ + "/tls/admin.crt --key " +
                    data_dir_ + "/tls/admin.key"),
            "200");
}

// Scheduler and controller-manager are healthy once they hold their Leases, which takes a moment.
TEST_F(ServerTest, ReportsItsComponentsHealthy) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const std::string as_admin =
      "--cert " + data_dir_ + "/tls/admin.crt --key " + data_dir_ + "/tls/admin.key";
  std::string found;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    found = ask(server, "/api/v1/componentstatuses", as_admin);
    if (found.find("\"status\":\"Unknown\"") == std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  for (const char* name : {"controller-manager", "etcd-0", "scheduler"}) {
    EXPECT_NE(found.find(std::string("\"name\":\"") + name + "\""), std::string::npos) << found;
  }
  EXPECT_EQ(found.find("\"error\""), std::string::npos) << found;
  EXPECT_NE(found.find(R"("message":"{\"health\":\"true\"}")"), std::string::npos) << found;
}

TEST_F(ServerTest, StartsAgainOverTheSameData) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Server server(data_dir_);
    ASSERT_TRUE(server.ready()) << server.said();
    EXPECT_EQ(ask(server, "/readyz"), "ok");
    EXPECT_EQ(server.stop(signal), 0);
  }
  const std::string checked = run_program("store check " + data_dir_ + "/store").text;
  EXPECT_NE(checked.find("no errors found"), std::string::npos) << checked;
  const std::string inspected = run_program("store inspect -o json " + data_dir_ + "/store").text;
  EXPECT_NE(inspected.find("\"cleanShutdown\": true"), std::string::npos) << inspected;
}

TEST_F(ServerTest, ALostAuthorityIsNotReplacedSilently) {
  {
    Server server(data_dir_);
    ASSERT_TRUE(server.ready()) << server.said();
    ASSERT_EQ(server.stop(SIGTERM), 0);
  }
  std::filesystem::remove_all(data_dir_ + "/tls");
  const Outcome refused = run_program("server --listen 127.0.0.1:0 --data-dir " + data_dir_);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.text.find("pass --new-authority"), std::string::npos) << refused.text;
  EXPECT_FALSE(std::filesystem::exists(data_dir_ + "/tls"));
  Server server(data_dir_, "server", {"--new-authority"});
  ASSERT_TRUE(server.ready()) << server.said();
  EXPECT_EQ(ask(server, "/readyz"), "ok");
}

TEST_F(ServerTest, TakesFurtherNamesAndNetworks) {
  Server server(data_dir_, "server",
                {"--tls-san", "proa.example.com,203.0.113.7", "--service-cluster-ip-range",
                 "10.55.0.0/24", "--service-node-port-range", "31000-31001"});
  ASSERT_TRUE(server.ready()) << server.said();
  const std::string certificate =
      run_shell("openssl x509 -noout -ext subjectAltName -in " + data_dir_ + "/tls/server.crt")
          .text;
  for (const char* name :
       {"DNS:proa.example.com", "IP Address:203.0.113.7", "IP Address:10.55.0.1"})
    EXPECT_NE(certificate.find(name), std::string::npos) << certificate;
  const std::string as_admin =
      "--cert " + data_dir_ + "/tls/admin.crt --key " + data_dir_ + "/tls/admin.key ";
  EXPECT_NE(ask(server, "/api/v1/namespaces/default/services/kubernetes", as_admin)
                .find("\"clusterIP\":\"10.55.0.1\""),
            std::string::npos);
  const auto create = [&](int port) {
    return ask(server, "/api/v1/namespaces/default/services",
               as_admin +
                   "-o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d "
                   "'{\"metadata\":{\"name\":\"s" +
                   std::to_string(port) +
                   "\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":" +
                   std::to_string(port) + "}]}}'");
  };
  EXPECT_EQ(create(31001), "201");
  EXPECT_EQ(create(31002), "422");
}

TEST_F(ServerTest, TheKubeconfigCanBeMergedAndSentElsewhere) {
  Server server(data_dir_, "server", {"--tls-san", "proa.example.com"});
  ASSERT_TRUE(server.ready()) << server.said();
  const std::string here = " --data-dir " + data_dir_;
  const std::string config = folder_.file("home/config", "clusters: [{name: work}]\n");
  const Outcome merged = run_program("kubeconfig --merge" + here, "KUBECONFIG=" + config + ":/b");
  EXPECT_EQ(merged.code, 0) << merged.text;
  EXPECT_NE(merged.text.find(config), std::string::npos) << merged.text;
  const std::string text = run_shell("cat " + config).text;
  for (const std::string& part : {std::string("name: work"), "server: \"" + server.url(),
                                  std::string("current-context: proa")})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  // A new one in the home directory.
  const Outcome fresh =
      run_program("kubeconfig --merge" + here, "-u KUBECONFIG HOME=" + folder_.path() + "/new");
  EXPECT_EQ(fresh.code, 0) << fresh.text;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/new/.kube/config"));
  const Outcome good = run_program("kubeconfig --server https://proa.example.com:6443" + here);
  EXPECT_NE(good.text.find("https://proa.example.com:6443"), std::string::npos) << good.text;
  EXPECT_EQ(good.text.find("--tls-san"), std::string::npos) << good.text;
  const Outcome unknown = run_program("kubeconfig --server https://other.example.com" + here);
  EXPECT_NE(unknown.text.find("--tls-san other.example.com"), std::string::npos) << unknown.text;
  EXPECT_EQ(run_program("kubeconfig --server nowhere" + here).code, 2);
}

TEST_F(ServerTest, StatusShowsDiskLeadersAndCertificates) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const Outcome status = run_program("status --data-dir " + data_dir_);
  EXPECT_EQ(status.code, 0) << status.text;
  for (const char* part : {"running as process", "disk ", "certificate    server until 20",
                           "leader         kube-scheduler: ", "pods           none"})
    EXPECT_NE(status.text.find(part), std::string::npos) << status.text;
  EXPECT_EQ(status.text.find("runtime"), std::string::npos) << status.text;
}

TEST_F(ServerTest, KubectlIsRunAsAdministrator) {
  std::filesystem::create_directories(data_dir_);
  const std::string here = "kubectl --data-dir " + data_dir_;
  EXPECT_NE(run_program(here + " get pods").text.find("admin.kubeconfig does not exist"),
            std::string::npos);
  folder_.file("data/admin.kubeconfig", "");
  const std::string fake =
      folder_.file("bin/kubectl", "#!/bin/sh\necho \"$KUBECONFIG $*\"; exit 7\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const Outcome outcome = run_program(here + " -n a get pods -o json -- --help",
                                      "PATH=" + folder_.path() + "/bin:/usr/bin:/bin");
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.text, data_dir_ + "/admin.kubeconfig -n a get pods -o json -- --help\n");
}

TEST_F(ServerTest, SurvivesBeingKilled) {
  {
    Server server(data_dir_);
    ASSERT_TRUE(server.ready()) << server.said();
    server.stop(SIGKILL);
  }
  Server server(data_dir_);
  EXPECT_TRUE(server.ready()) << server.said();
}

TEST_F(ServerTest, ASecondOneOnTheSameDataIsRefusedAndChangesNothing) {
  Server first(data_dir_);
  ASSERT_TRUE(first.ready()) << first.said();
  const std::string digests = "sha256sum " + data_dir_ + "/tls/* " + data_dir_ + "/*.kubeconfig";
  const std::string before = run_shell(digests).text;
  // With another address, which would need another certificate.
  Server second(data_dir_, "server", {"--advertise-address", "192.0.2.9"});
  EXPECT_FALSE(second.ready());
  EXPECT_NE(second.said().find("another proa is running from this data directory, as process"),
            std::string::npos)
      << second.said();
  EXPECT_EQ(run_shell(digests).text, before);
  EXPECT_EQ(ask(first, "/livez"), "ok");
}

TEST_F(ServerTest, ASecondOneInTheBackgroundKnowsOfTheFirst) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  Server first(data_dir_);
  ASSERT_TRUE(first.ready()) << first.said();
  const Outcome second = run_program("up --detach --data-dir " + data_dir_);
  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.text, "proa up: already running as process " + std::to_string(first.pid()) +
                             "; `proa status --data-dir " + data_dir_ +
                             "` shows its state, `proa down --data-dir " + data_dir_ +
                             "` stops it\n");
  EXPECT_EQ(ask(first, "/livez"), "ok");
}

TEST_F(ServerTest, DownStopsAServerWithoutANode) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const Outcome down = run_program("down --data-dir " + data_dir_);
  EXPECT_EQ(down.code, 0) << down.text;
  EXPECT_NE(down.text.find("stopping process"), std::string::npos) << down.text;
  EXPECT_TRUE(server.wait_for("Stopped.")) << server.said();
}

}  // namespace
}  // namespace proa::e2e
