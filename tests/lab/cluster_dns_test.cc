// Names inside of pods: the resolvers of glibc, musl and busybox agree on Services, StatefulSets
// and ExternalNames, on every node; nobody outside is answered.

#include <chrono>

#include "lab.h"

namespace proa::lab_tests {
namespace {

class ClusterDnsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    if (!enter_own_host()) GTEST_SKIP() << "no network namespace can be made";
    lab_ = std::make_unique<TestLab>(own_name("dns"), folder_.path(), "--nodes 2 --dual-stack");
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
    for (const char* node : {"node-1", "node-2"}) {
      lab_->inside(node, (node_tests::tests_folder() / "node/make-busybox-image").string() +
                             " /run/proa/containerd.sock " + node_tests::Cluster::kBusybox);
      put_pod(std::string("asks-") + node, node);
    }
    lab_->apply(
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
        "spec: {selector: {app: none}, ports: [{name: http, port: 80}]}\n---\n"
        "apiVersion: v1\nkind: Service\nmetadata: {name: db}\n"
        "spec: {clusterIP: None, selector: {app: db}, ports: [{name: sql, port: 5432}]}\n---\n"
        "apiVersion: v1\nkind: Service\nmetadata: {name: alias}\n"
        "spec: {type: ExternalName, externalName: web.default.svc.cluster.local}\n---\n"
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\n"
        "spec:\n  serviceName: db\n  replicas: 2\n  podManagementPolicy: Parallel\n"
        "  selector: {matchLabels: {app: db}}\n"
        "  template:\n    metadata: {labels: {app: db}}\n    spec:\n"
        "      terminationGracePeriodSeconds: 1\n      containers:\n      - name: c\n        "
        "image: " +
        std::string(node_tests::Cluster::kBusybox) +
        "\n        command: [sh, -c, 'exec sleep 3600']\n");
    for (const char* pod : {"asks-node-1", "asks-node-2", "db-0", "db-1"}) {
      lab_->wait(std::string("pod/") + pod, "Ready");
    }
  }

  // Has the programs of this machine, so glibc's getent and dig, and its own resolv.conf; those of
  // the lab's folder are in /programs. `spec`: more lines of the pod's.
  void put_pod(const std::string& name, const std::string& node,
               const std::string& spec = "") const {
    std::string mounts = "    - {name: programs, mountPath: /programs, readOnly: true}\n";
    std::string volumes = "  - {name: programs, hostPath: {path: " + folder_.path() + "}}\n";
    for (const std::string folder : {"usr", "lib", "lib64"}) {
      mounts += "    - {name: " + folder + ", mountPath: /" + folder + ", readOnly: true}\n";
      volumes += "  - {name: " + folder + ", hostPath: {path: /" + folder + "}}\n";
    }
    lab_->apply("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
                "}\nspec:\n  nodeName: " + node +
                "\n  terminationGracePeriodSeconds: 1\n  containers:\n  - name: c\n    image: " +
                std::string(node_tests::Cluster::kBusybox) +
                "\n    command: [sh, -c, 'exec sleep 3600']\n    volumeMounts:\n" + mounts +
                "  volumes:\n" + volumes + spec);
  }
  std::string in_pod(const std::string& pod, const std::string& command) const {
    return lab_->kubectl("exec " + pod + " -- " + command).text;
  }
  std::string address_of(const std::string& object, const std::string& path) const {
    return lab_->ask("get " + object + " -o jsonpath='{" + path + "}'");
  }

  LabFolder folder_;
  std::unique_ptr<TestLab> lab_;
};

TEST_F(ClusterDnsTest, PodsResolveNames) {
  const std::string web = address_of("service/web", ".spec.clusterIP");
  const std::string db = address_of("pod/db-0", ".status.podIP");
  for (const std::string pod : {"asks-node-1", "asks-node-2"}) {
    SCOPED_TRACE(pod);
    EXPECT_NE(in_pod(pod, "cat /etc/resolv.conf").find("nameserver 10.96.0.10"), std::string::npos);
    // glibc, with search paths.
    for (const std::string name :
         {"web", "web.default", "web.default.svc", "web.default.svc.cluster.local", "alias"}) {
      SCOPED_TRACE(name);
      EXPECT_NE(in_pod(pod, "/usr/bin/getent ahostsv4 " + name).find(web), std::string::npos);
    }
    // busybox, which uses search paths for names without a dot only.
    for (const std::string name : {"web", "web.default.svc.cluster.local", "alias"}) {
      SCOPED_TRACE(name);
      const std::string found = in_pod(pod, "nslookup " + name);
      EXPECT_NE(found.find(web), std::string::npos) << found;
    }
    EXPECT_NE(in_pod(pod, "/usr/bin/getent ahostsv4 db-0.db").find(db), std::string::npos);
    EXPECT_NE(in_pod(pod, "/usr/bin/getent ahostsv4 db").find(db), std::string::npos);
    EXPECT_NE(in_pod(pod, "/usr/bin/getent hosts " + web).find("web.default.svc.cluster.local"),
              std::string::npos);
    EXPECT_NE(in_pod(pod, "/usr/bin/getent hosts missing").find("exit code 2"), std::string::npos);
  }
  // The pods of a StatefulSet know their own names.
  EXPECT_NE(in_pod("db-1", "hostname -f").find("db-1.db.default.svc.cluster.local"),
            std::string::npos);
  EXPECT_NE(in_pod("db-1", "nslookup db-0.db.default.svc.cluster.local").find(db),
            std::string::npos);
}

// The same program, compiled with either C library.
class ResolversTest : public ClusterDnsTest {
 protected:
  void SetUp() override {
    for (const char* compiler : {"gcc", "musl-gcc"}) {
      if (!testkit::has_program(compiler)) GTEST_SKIP() << "there is no " << compiler;
    }
    const std::string source = (node_tests::tests_folder() / "lab/resolve.c").string();
    for (const std::string& command : {"gcc -o " + glibc(), "musl-gcc -static -o " + musl()}) {
      const e2e::Outcome made = e2e::run_shell(command + " -std=gnu11 -O1 " + source);
      ASSERT_EQ(made.code, 0) << made.text;
    }
    ClusterDnsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    lab_->apply(
        "apiVersion: v1\nkind: Service\nmetadata: {name: both}\n"
        "spec: {ipFamilyPolicy: RequireDualStack, ports: [{port: 80}]}\n---\n"
        "apiVersion: v1\nkind: Service\nmetadata: {name: empty}\n"
        "spec: {clusterIP: None, selector: {app: none}, ports: [{port: 80}]}\n---\n"
        "apiVersion: v1\nkind: Service\nmetadata: {name: broken}\n"
        "spec: {type: ExternalName, externalName: missing.default.svc.cluster.local}\n---\n"
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n---\n"
        "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: other}\n"
        "spec: {ports: [{port: 80}]}\n");
    put_pod("few-dots", "node-2", "  dnsConfig: {options: [{name: ndots, value: '1'}]}\n");
    lab_->wait("pod/few-dots", "Ready");
  }
  std::string glibc() const { return folder_.path() + "/resolve-glibc"; }
  std::string musl() const { return folder_.path() + "/resolve-musl"; }

  struct Case {
    std::string name;
    std::string answer;
  };
  void expect(const std::string& pod, const std::vector<Case>& cases) const {
    std::string names;
    std::string wanted;
    for (const Case& one : cases) {
      names += " " + one.name;
      wanted += one.name + " " + one.answer + "\n";
    }
    for (const std::string library : {"glibc", "musl"}) {
      SCOPED_TRACE(pod + " with " + library);
      EXPECT_EQ(in_pod(pod, "/programs/resolve-" + library + names), wanted);
    }
  }
};

TEST_F(ResolversTest, GlibcAndMuslAgree) {
  const auto service = [&](const std::string& name, const std::string& name_space,
                           const std::string& path) {
    return name + "." + name_space + ".svc.cluster.local " +
           address_of("service/" + name + " -n " + name_space, path);
  };
  const std::string web = service("web", "default", ".spec.clusterIP");
  const std::string other = service("web", "other", ".spec.clusterIP");
  const std::string both = service("both", "default", ".spec.clusterIPs[0]") + " " +
                           address_of("service/both", ".spec.clusterIPs[1]");
  const std::string db0 = address_of("pod/db-0", ".status.podIP");
  const std::string db1 = address_of("pod/db-1", ".status.podIP");
  const std::string db =
      "db.default.svc.cluster.local " + std::min(db0, db1) + " " + std::max(db0, db1);
  for (const std::string pod : {"asks-node-1", "asks-node-2"}) {
    expect(pod, {{"web", web},
                 {"web.default", web},
                 {"web.other", other},
                 {"web.default.svc", web},
                 {"web.default.svc.cluster.local", web},
                 {"web.default.svc.cluster.local.", web},
                 {"both", both},
                 {"alias", web},
                 {"alias.default.svc.cluster.local.", web},
                 {"db", db},
                 {"db-0.db", "db-0.db.default.svc.cluster.local " + db0},
                 {"empty.default.svc.cluster.local.", "not-found"},
                 {"broken", "not-found"},
                 {"missing.default.svc.cluster.local.", "not-found"},
                 {"missing.svc.cluster.local.", "not-found"}});
  }
  // With fewer dots than names of Services have, those are asked for as they are; musl does not use
  // the search path for them at all, so that names such as web.other are beyond it.
  expect("few-dots",
         {{"web", web},
          {"alias", web},
          {"web.other.svc.cluster.local", other},
          {"db-1.db.default.svc.cluster.local", "db-1.db.default.svc.cluster.local " + db1},
          {"missing.default.svc.cluster.local", "not-found"}});
}

TEST_F(ClusterDnsTest, ToolsFindTheService) {
  EXPECT_EQ(lab_->ask("-n kube-system get service kube-dns -o jsonpath='{.spec.clusterIP}'"),
            "10.96.0.10");
  const std::string slices = lab_->ask(
      "-n kube-system get endpointslices -l kubernetes.io/service-name=kube-dns -o "
      "jsonpath='{.items[*].endpoints[*].nodeName}'");
  EXPECT_NE(slices.find("node-1"), std::string::npos);
  EXPECT_NE(slices.find("node-2"), std::string::npos);
  in_pod("asks-node-2", "/usr/bin/getent ahostsv4 web");
  EXPECT_NE(lab_->inside("node-2", "curl -sS http://127.0.0.1:9153/metrics")
                .find("coredns_dns_responses_total{server=\"dns://:53\",zone=\".\",view=\"\","
                      "rcode=\"NOERROR\",plugin=\"kubernetes\"}"),
            std::string::npos);
}

// With a route to the address, a machine outside of the cluster gets nothing, neither by UDP nor
// by TCP.
TEST_F(ClusterDnsTest, NobodyOutsideIsAnswered) {
  const std::string node = address_of("node/node-1", ".status.addresses[0].address");
  lab_->inside("switch", "ip route add 10.96.0.10/32 via " + node);
  const std::string question = "dig +time=1 +tries=1 @10.96.0.10 web.default.svc.cluster.local";
  EXPECT_NE(lab_->run("exec", "client -- " + question).code, 0);
  EXPECT_NE(lab_->run("exec", "client -- " + question + " +tcp").code, 0);
  EXPECT_EQ(lab_->run("exec", "node-1 -- " + question).code, 0);
  EXPECT_EQ(lab_->run("exec", "node-1 -- " + question + " +tcp").code, 0);
}

TEST_F(ClusterDnsTest, AnswersWhileTheServerIsGone) {
  const std::string web = address_of("service/web", ".spec.clusterIP");
  // node-2 has all that it needs in memory.
  lab_->inside("node-2", "dig +short @10.96.0.10 web.default.svc.cluster.local");
  EXPECT_EQ(lab_->run("kill", "node-1").code, 0);
  EXPECT_EQ(lab_->inside("node-2", "dig +short @10.96.0.10 web.default.svc.cluster.local"), web);
}

}  // namespace
}  // namespace proa::lab_tests
