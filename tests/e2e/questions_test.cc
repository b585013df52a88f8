// Commands that answer questions about a cluster: a no has an exit code of its own, which is not
// that of a failure.
#include <gtest/gtest.h>

#include "admin.h"
#include "server.h"
#include "testkit/patience.h"

namespace proa::e2e {
namespace {

class QuestionsTest : public testing::Test {
 protected:
  void SetUp() override {
    // Without kubelets, the node controllers must not run.
    server_ = std::make_unique<Server>(data_dir_, "server",
                                       std::vector<std::string>{"--controllers", "serviceaccount"});
    ASSERT_TRUE(server_->ready()) << server_->said();
    admin_ = std::make_unique<Admin>(data_dir_);
    add_pod("web", "10.244.0.2");
    add_pod("db", "10.244.0.3");
    ASSERT_EQ(admin_
                  ->ask("POST", "/api/v1/namespaces/default/services",
                        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"db"},)"
                        R"("spec":{"clusterIP":"10.96.0.77","ports":[{"name":"pg","port":5432}]}})")
                  .code,
              201);
    ASSERT_EQ(admin_
                  ->ask("POST", "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
                        R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy",)"
                        R"("metadata":{"name":"tcp-only"},"spec":{"podSelector":{"matchLabels":)"
                        R"({"app":"db"}},"ingress":[{"ports":[{"port":"main"}]}]}})")
                  .code,
              201);
  }

  // Acts as the kubelet. Pods are refused until their ServiceAccount exists.
  void add_pod(const std::string& name, const std::string& address) {
    const std::string pods = "/api/v1/namespaces/default/pods";
    const std::string head = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                             R"(","labels":{"app":")" + name + R"("}})";
    const std::string pod =
        head + R"(,"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i","ports":[)"
               R"({"name":"main","containerPort":8080},{"name":"more","protocol":"UDP",)"
               R"("containerPort":8081}]}]}})";
    ASSERT_TRUE(
        testkit::holds_within(20s, [&] { return admin_->ask("POST", pods, pod).code == 201; }));
    const std::string status = head + R"(,"status":{"phase":"Running","podIP":")" + address +
                               R"(","podIPs":[{"ip":")" + address + R"("}]}})";
    ASSERT_EQ(admin_->ask("PUT", pods + "/" + name + "/status", status).code, 200);
  }
  Outcome ask(const std::string& words) const {
    return run_program(words + " --data-dir " + data_dir_);
  }
  // The code, and a part of what is printed.
  void expect(const std::string& words, int code, const std::string& part) const {
    const Outcome told = ask(words);
    EXPECT_EQ(told.code, code) << words << "\n" << told.text;
    EXPECT_NE(told.text.find(part), std::string::npos) << words << "\n" << told.text;
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
  std::unique_ptr<Server> server_;
  std::unique_ptr<Admin> admin_;
};

TEST_F(QuestionsTest, ExplainConnectionTellsNoFromFailures) {
  expect("explain-connection web db:main", 0, "TCP 10.244.0.3:8080: allowed\n");
  expect("explain-connection pod/web default/db:80", 3,
         "no rule of NetworkPolicy default/tcp-only");
  expect("explain-connection web db:more --protocol udp", 3, "UDP 10.244.0.3:8081: not allowed\n");
  expect("explain-connection db web -o json", 0, R"("allowed": true)");
  expect("explain-connection web svc/db:pg", 3,
         "Service default/db, port pg has no ready endpoints: refused\n");
  expect("explain-connection web 10.96.0.77:80", 3,
         "Service default/db has no port 80/TCP: refused; it has pg 5432/TCP\n");
  expect("explain-connection web 10.96.200.200:80", 3,
         "no Service has 10.96.200.200, which is in the range of Services 10.96.0.0/16: dropped\n");
  expect("explain-connection web nobody:80", 1, "pod or Service default/nobody not found\n");
  expect("explain-connection web db:main --protocol icmp", 2, "is not one of TCP, UDP, SCTP");
}

TEST_F(QuestionsTest, DnsQueryTellsNoFromFailures) {
  expect("dns query db", 0, "db.default.svc.cluster.local. 30 A 10.96.0.77\n");
  expect("dns query nobody.default.svc.cluster.local.", 3, "there is no Service nobody");
  expect("dns query db --kubeconfig " + folder_.path() + "/none", 1, "none");
  expect("dns query db --type B", 2, "--type must be a record type");
}

}  // namespace
}  // namespace proa::e2e
