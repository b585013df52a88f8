// The scheduler as users run it: inside the server, as a separate process, and explaining pending
// pods.
#include <gtest/gtest.h>

#include "admin.h"
#include "server.h"

namespace proa::e2e {
namespace {

constexpr const char* kPods = "/api/v1/namespaces/default/pods";

class SchedulerTest : public testing::Test {
 protected:
  // Acts as the kubelet: a new node is not ready, and has no capacity, until its status is set.
  static bool add_node(Admin& admin, const std::string& name, const std::string& cpu) {
    const std::string head =
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("})";
    const std::string room = R"({"cpu":")" + cpu + R"(","memory":"8Gi","pods":"110"})";
    const std::string nodes = "/api/v1/nodes";
    return admin.ask("POST", nodes, head + "}").code == 201 &&
           admin.ask("PUT", nodes + "/" + name, head + R"(,"spec":{"taints":[]}})").code == 200 &&
           admin.ask("PUT", nodes + "/" + name + "/status",
                     head + R"(,"status":{"capacity":)" + room + R"(,"allocatable":)" + room + "}}")
                   .code == 200;
  }
  static std::string pod(const std::string& name, const std::string& cpu) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"("},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":")" +
           cpu + R"("}}}]}})";
  }

  // Without kubelets, the node controllers must not run.
  static std::vector<std::string> flags(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--controllers", "serviceaccount"});
    return more;
  }

  // A kubeconfig for a server that is never contacted.
  std::string kubeconfig() const {
    return folder_.file("nobody.kubeconfig",
                        "clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                        "users: [{name: a, user: {token: t}}]\n"
                        "contexts: [{name: a, context: {cluster: a, user: a}}]\n"
                        "current-context: a\n");
  }

  static std::string node_of(Admin& admin, const std::string& name) {
    return text_at(admin.ask("GET", std::string(kPods) + "/" + name).root(), {"spec", "nodeName"});
  }
  template <typename Holds>
  static bool comes(const Holds& holds) {
    for (int i = 0; i < 1500; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }
  // Pods are rejected until the service account exists.
  static bool create(Admin& admin, const std::string& what, const std::string& object) {
    return comes([&] { return admin.ask("POST", what, object).code == 201; });
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
};

TEST_F(SchedulerTest, TheServerGivesPodsNodesAndSaysWhyNot) {
  Server server(data_dir_, "server", flags());
  ASSERT_TRUE(server.ready()) << server.said();
  Admin admin(data_dir_);
  ASSERT_TRUE(add_node(admin, "n1", "4"));
  ASSERT_TRUE(create(admin, kPods, pod("small", "1")));
  ASSERT_TRUE(create(admin, kPods, pod("large", "16")));
  EXPECT_TRUE(comes([&] { return node_of(admin, "small") == "n1"; })) << server.said();
  EXPECT_TRUE(comes([&] {
    const auto large = admin.ask("GET", std::string(kPods) + "/large");
    return text_at(large.root(), {"status", "conditions", "first", "message"})
        .starts_with("0/1 nodes are available: 1 Insufficient cpu.");
  }));
  // It may also write Events.
  EXPECT_TRUE(comes([&] {
    const auto events = admin.ask(
        "GET", "/api/v1/namespaces/default/events?fieldSelector=reason%3DFailedScheduling");
    return at(events.root(), {"items"}).size() > 0;
  }));
  const Outcome told = run_program("explain-pending large --data-dir " + data_dir_);
  EXPECT_EQ(told.code, 0);
  EXPECT_NE(told.text.find("needs 16 cpu, has 3 free of 4"), std::string::npos) << told.text;
  const auto asked = admin.ask("GET", "/debug/proa/explain-pending/default/large");
  EXPECT_EQ(asked.code, 200);
  EXPECT_EQ(text_at(asked.root(), {"groups", "first", "objections", "first", "plugin"}),
            "NodeResourcesFit");
  EXPECT_EQ(text_at(asked.root(), {"outlook"}), "Unschedulable");
  EXPECT_EQ(admin.ask("GET", "/debug/proa/explain-pending/default/nobody").code, 404);
  EXPECT_EQ(admin.ask("GET", "/debug/proa/explain-pending/default").code, 404);
  EXPECT_EQ(admin.ask("GET", "/debug/proa/explain-pending/default/large?output=xml").code, 400);
  EXPECT_EQ(run_program("explain-pending nobody --data-dir " + data_dir_).code, 1);
  EXPECT_EQ(server.stop(SIGTERM), 0) << server.said();
}

TEST_F(SchedulerTest, OnlyThoseWhoMayReadThePodAreTold) {
  Server server(data_dir_, "server", flags());
  ASSERT_TRUE(server.ready()) << server.said();
  Admin admin(data_dir_);
  ASSERT_TRUE(create(admin, kPods, pod("small", "1")));
  const auto asked_by_jane = [&] {
    return run_shell("curl -sS -m 10 -o /dev/null -w '%{http_code}' -H 'Impersonate-User: jane' " +
                     std::string("--cacert ") + data_dir_ + "/tls/authority.crt --cert " +
                     data_dir_ + "/tls/admin.crt --key " + data_dir_ + "/tls/admin.key '" +
                     server.url() + "/debug/proa/explain-pending/default/small?output=text'")
        .text;
  };
  const auto give = [&](const std::string& role) {
    const std::string binding =
        R"({"metadata":{"name":")" + role +
        R"("},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"jane"}],)" +
        R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
        role + R"("}})";
    return admin.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)
               .code == 201;
  };
  EXPECT_EQ(asked_by_jane(), "403");
  ASSERT_TRUE(give("system:explain-pending"));
  EXPECT_EQ(asked_by_jane(), "403") << "the path, but not the pod";
  ASSERT_TRUE(give("view"));
  EXPECT_TRUE(comes([&] { return asked_by_jane() == "200"; }));
}

TEST_F(SchedulerTest, ASchedulerOfItsOwnTakesThePlaceOfTheServers) {
  Server server(data_dir_, "server", flags({"--scheduler=false"}));
  ASSERT_TRUE(server.ready()) << server.said();
  Admin admin(data_dir_);
  ASSERT_TRUE(add_node(admin, "n1", "4"));
  ASSERT_TRUE(create(admin, kPods, pod("first", "1")));
  EXPECT_EQ(node_of(admin, "first"), "");
  const std::string kubeconfig = data_dir_ + "/admin.kubeconfig";
  Process alone({"scheduler", "--kubeconfig", kubeconfig});
  ASSERT_TRUE(alone.wait_for("Scheduling for https://")) << alone.said();
  EXPECT_TRUE(comes([&] { return node_of(admin, "first") == "n1"; })) << alone.said();
  // It also handles later pods.
  ASSERT_TRUE(create(admin, kPods, pod("second", "1")));
  EXPECT_TRUE(comes([&] { return node_of(admin, "second") == "n1"; })) << alone.said();
  EXPECT_EQ(alone.stop(SIGTERM), 0) << alone.said();
  const auto lease =
      admin.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler");
  EXPECT_EQ(lease.code, 200);
  EXPECT_EQ(text_at(lease.root(), {"spec", "holderIdentity"}), "") << "given back";
  ASSERT_TRUE(create(admin, kPods, pod("third", "1")));
  const Outcome told = run_program("explain-pending third --kubeconfig " + kubeconfig);
  EXPECT_NE(told.text.find("Pod default/third fits on node n1."), std::string::npos) << told.text;
}

TEST_F(SchedulerTest, AWrongConfigurationIsRefusedAtTheStart) {
  const std::string head =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  struct Case {
    const char* name;
    std::string text;
    const char* said;
  };
  for (const Case& c : {
           Case{"field", head + "profile: []\n", "unknown field \"profile\""},
           Case{"args",
                head + "profiles: [{pluginConfig: [{name: DefaultPreemption, args: "
                       "{minCandidateNodesPercentage: 101}}]}]\n",
                "minCandidateNodesPercentage"},
           Case{"plugin", head + "profiles: [{plugins: {filter: {enabled: [{name: Mine}]}}}]\n",
                "Mine"},
           Case{"election", head + "leaderElection: {retryPeriod: 10s}\n", "renewDeadline"},
       }) {
    SCOPED_TRACE(c.name);
    const std::string file = folder_.file("scheduler.yaml", c.text);
    for (const std::string& command : {"server --listen 127.0.0.1:0 --data-dir " + data_dir_,
                                       std::string("scheduler --kubeconfig ") + kubeconfig()}) {
      const Outcome outcome = run_program(command + " --scheduler-config " + file);
      // Plugins judge their own args, when they are made.
      EXPECT_GT(outcome.code, 0);
      EXPECT_NE(outcome.text.find(c.said), std::string::npos) << outcome.text;
      EXPECT_EQ(outcome.text.find("Ready"), std::string::npos) << outcome.text;
    }
  }
  EXPECT_EQ(run_program("scheduler").code, 2);
}

}  // namespace
}  // namespace proa::e2e
