// A lab of three nodes: what its machines are, pods on all of them, and faults.

#include <iterator>
#include <sstream>

#include "lab.h"

namespace proa::lab_tests {
namespace {

// Nodes renew their leases every ten seconds.
constexpr const char* kFlags = "--nodes 3 -- --node-monitor-grace-period 12s";

class LabTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!missing().empty() || !enter_own_host()) return;
    folder_ = std::make_unique<LabFolder>();
    before_ = traces(folder_->path());
    lab_ = std::make_unique<TestLab>(own_name("three"), folder_->path(), kFlags);
    if (lab_->up().code != 0) return;
    for (const char* node : {"node-1", "node-2", "node-3"}) {
      lab_->inside(node, (node_tests::tests_folder() / "node/make-busybox-image").string() +
                             " /run/proa/containerd.sock " + node_tests::Cluster::kBusybox);
    }
  }
  static void TearDownTestSuite() {
    if (lab_ == nullptr) return;
    lab_->down();
    EXPECT_EQ(traces(folder_->path()), before_);
    lab_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    if (lab_ == nullptr) GTEST_SKIP() << "no network namespace can be made";
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
  }

  static void run_pod(const std::string& name, const std::string& node) {
    lab_->apply("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
                "}\nspec:\n  nodeName: " + node +
                "\n  terminationGracePeriodSeconds: 1\n  containers:\n  - name: c\n    image: " +
                node_tests::Cluster::kBusybox + "\n    command: [sh, -c, 'echo says " + name +
                "; exec sleep 3600']\n");
  }

  static std::unique_ptr<LabFolder> folder_;
  static std::string before_;
  static std::unique_ptr<TestLab> lab_;
};
std::unique_ptr<LabFolder> LabTest::folder_;
std::string LabTest::before_;
std::unique_ptr<TestLab> LabTest::lab_;

TEST_F(LabTest, HasAReadyNodePerMachine) {
  EXPECT_EQ(lab_->ask("get nodes -o 'jsonpath={range .items[*]}{.metadata.name} "
                      "{.status.addresses[0].address} "
                      "{.status.conditions[?(@.type==\"Ready\")].status} {end}'"),
            "node-1 172.30.0.11 True node-2 172.30.0.12 True node-3 172.30.0.13 True ");
  // As different machines have them.
  for (const char* field : {"machineID", "bootID", "systemUUID"}) {
    const std::string ids = lab_->ask("get nodes -o 'jsonpath={range .items[*]}{.status.nodeInfo." +
                                      std::string(field) + "}{\"\\n\"}{end}' | sort -u | wc -l");
    if (std::string(field) == "systemUUID" &&
        !std::filesystem::exists("/sys/class/dmi/id/product_uuid")) {
      continue;
    }
    EXPECT_EQ(ids, "3") << field;
  }
}

// Proxy, DNS, kubelet and network policies of a node get the same objects; those of node-1 are the
// server's own.
TEST_F(LabTest, WatchesOnceFromEachJoinedNode) {
  for (const char* resource : {"services", "endpointslices", "namespaces"}) {
    EXPECT_EQ(lab_->ask("get --raw /metrics | awk '/^apiserver_longrunning_requests.*resource=\"" +
                        std::string(resource) + "\"/ {n += $NF} END {print n + 0}'"),
              "2")
        << resource;
  }
}

TEST_F(LabTest, HasMachinesThatSeeOnlyThemselves) {
  EXPECT_EQ(lab_->inside("node-2", "hostname"), "node-2");
  EXPECT_EQ(lab_->inside("node-2", "cat /etc/hostname"), "node-2");
  EXPECT_NE(lab_->inside("node-2", "cat /etc/hosts").find("172.30.0.13 node-3"), std::string::npos);
  EXPECT_EQ(lab_->inside("node-2", "cat /proc/1/comm"), "proa-machine");
  EXPECT_EQ(lab_->inside("node-2", "ls /sys/class/net/eth0/address"),
            "/sys/class/net/eth0/address");
  EXPECT_EQ(lab_->inside("node-2", "ls -d /var/lib/proa /run/proa"), "/run/proa\n/var/lib/proa");
  EXPECT_EQ(lab_->run("exec", "node-2 -- ls /sys/class/net/outside").code, 2);
  // Its cgroups are the root for it.
  EXPECT_EQ(lab_->inside("node-2", "sh -c 'cut -d : -f 3 /proc/1/cgroup | sort -u'"), "/init");
  // Settings of the host's kernel are not its own.
  EXPECT_NE(lab_->run("exec", "node-2 -- sh -c 'echo 1 > /proc/sys/vm/overcommit_memory'").code, 0);
  EXPECT_EQ(lab_->run("exec", "node-2 -- sh -c 'exit 7'").code, 7);
  // Orphans are reaped.
  lab_->inside("node-2", "sh -c '(sleep 0.1 &) ; true'");
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(5), [&] {
    return lab_->run("exec", "node-2 -- sh -c 'grep -l \") Z \" /proc/[0-9]*/stat'").code != 0;
  }));
}

TEST_F(LabTest, RunsPodsOnEveryNodeAndReachesThem) {
  for (const char* number : {"1", "2", "3"}) {
    run_pod(std::string("pod-") + number, std::string("node-") + number);
  }
  for (const char* number : {"1", "2", "3"}) {
    const std::string pod = std::string("pod-") + number;
    lab_->wait("pod/" + pod, "Ready");
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
      return lab_->kubectl("logs " + pod).text == "says " + pod + "\n";
    })) << lab_->kubectl("logs " + pod).text;
    EXPECT_EQ(lab_->ask("exec " + pod + " -- hostname"), pod);
  }
  EXPECT_EQ(lab_->run("kubectl", "get pods -o name").text, "pod/pod-1\npod/pod-2\npod/pod-3\n");
  lab_->ask("delete pods --all");
}

TEST_F(LabTest, HasAClientOutsideOfTheCluster) {
  EXPECT_EQ(lab_->inside("client", "curl -sSk -m 5 https://172.30.0.11:6443/livez"), "ok");
  EXPECT_TRUE(lab_->reaches("client", "node-3"));
  EXPECT_TRUE(lab_->reaches("node-3", "client"));
}

TEST_F(LabTest, CutsAndHeals) {
  const e2e::Outcome cut = lab_->run("cut", "node-1 node-3");
  ASSERT_EQ(cut.code, 0) << cut.text;
  EXPECT_FALSE(lab_->reaches("node-1", "node-3"));
  EXPECT_TRUE(lab_->reaches("node-2", "node-3"));
  EXPECT_TRUE(lab_->reaches("client", "node-3"));
  EXPECT_NE(lab_->run("status").text.find("node-1 - node-3: cut"), std::string::npos);
  lab_->wait("node/node-3", "Ready=Unknown");
  EXPECT_EQ(lab_->run("heal", "node-3 node-1").code, 0);
  EXPECT_TRUE(lab_->soon_reaches("node-1", "node-3"));
  lab_->wait("node/node-3", "Ready=True");
  EXPECT_EQ(lab_->run("heal", "node-3 node-1").text,
            "proa lab heal: nothing is wrong between node-3 and node-1\n");
  ASSERT_EQ(lab_->run("cut", "client node-2").code, 0);
  EXPECT_FALSE(lab_->reaches("client", "node-2"));
  EXPECT_TRUE(lab_->reaches("client", "node-3"));
  EXPECT_EQ(lab_->run("heal", "client node-2").code, 0);
  EXPECT_TRUE(lab_->soon_reaches("client", "node-2"));
}

// Milliseconds of a round trip.
double round_trip(const TestLab& lab, const std::string& from, const std::string& to) {
  const std::string text = lab.run("exec", from + " -- busybox ping -c 2 -W 3 " + to).text;
  const size_t slash = text.rfind("min/avg/max");
  if (slash == std::string::npos) return -1;
  return std::atof(text.substr(text.find("= ", slash) + 2).c_str());
}

TEST_F(LabTest, DelaysPackets) {
  for (const char* other : {"node-3", "client"}) {
    const std::string pair = std::string("node-2 ") + other;
    const e2e::Outcome slow = lab_->run("slow", pair + " --delay 40ms");
    ASSERT_EQ(slow.code, 0) << slow.text;
    const double time = round_trip(*lab_, "node-2", other);
    EXPECT_GE(time, 80) << other;
    EXPECT_LE(time, 400) << other;
    EXPECT_LE(round_trip(*lab_, "node-1", other), 40) << other;
    // Large ones too, with checksums that are still to be made.
    lab_->inside(other,
                 "sh -c 'head -c 3000000 /dev/zero > /tmp/file; busybox httpd -p 9000 -h /tmp'");
    EXPECT_EQ(lab_->inside("node-2", std::string("sh -c 'curl -sS -m 20 http://") + other +
                                         ":9000/file | wc -c'"),
              "3000000");
    EXPECT_EQ(lab_->run("heal", pair).code, 0);
    EXPECT_LE(round_trip(*lab_, "node-2", other), 40) << other;
  }
}

TEST_F(LabTest, KillsAndStartsANode) {
  run_pod("stays", "node-2");
  lab_->wait("pod/stays", "Ready");
  const std::string boot = lab_->ask("get node node-2 -o jsonpath={.status.nodeInfo.bootID}");
  const e2e::Outcome killed = lab_->run("kill", "node-2");
  ASSERT_EQ(killed.code, 0) << killed.text;
  EXPECT_EQ(lab_->run("exec", "node-2 -- true").code, 1);
  // The kernel takes its links away a moment after its last process.
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                    [&] { return !lab_->reaches("node-1", "node-2"); }));
  lab_->wait("node/node-2", "Ready=Unknown");
  const e2e::Outcome started = lab_->run("start", "node-2");
  ASSERT_EQ(started.code, 0) << started.text;
  lab_->wait("node/node-2", "Ready=True");
  EXPECT_NE(lab_->ask("get node node-2 -o jsonpath={.status.nodeInfo.bootID}"), boot);
  lab_->wait("pod/stays", "Ready");
  EXPECT_EQ(lab_->ask("exec stays -- hostname"), "stays");
  EXPECT_NE(lab_->run("start", "node-2").text.find("node-2 runs already"), std::string::npos);
  lab_->ask("delete pod stays");
}

// Nodes notice that their watches are gone, and follow the server again.
TEST_F(LabTest, GoesOnWhenTheServerWasKilled) {
  run_pod("before", "node-2");
  lab_->wait("pod/before", "Ready");
  lab_->inside("node-1", "pkill -KILL -x -P 1 proa");
  // The machine starts it again.
  ASSERT_TRUE(testkit::holds_within(
      std::chrono::seconds(20), [&] { return lab_->kubectl("get --raw /readyz").text == "ok"; }));
  run_pod("after", "node-2");
  lab_->wait("pod/after", "Ready");
  lab_->ask("delete pods --all --timeout 30s");
}

// The words of a machine's row in `proa lab status`: name, addresses, state, restarts and so on.
std::vector<std::string> status_row(const TestLab& lab, const std::string& machine) {
  std::istringstream lines(lab.run("status").text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(machine + " ")) continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST_F(LabTest, TellsThatANodeFailsUntilItIsReadyAgain) {
  const auto soon_is = [&](const std::string& state, int least_restarts) {
    return testkit::holds_within(std::chrono::seconds(40), [&] {
      const std::vector<std::string> row = status_row(*lab_, "node-2");
      return row.size() > 3 && row[2] == state && std::stoi(row[3]) >= least_restarts;
    });
  };
  ASSERT_TRUE(soon_is("running", 0)) << lab_->run("status").text;
  lab_->inside("node-2", "pkill -KILL -x -P 1 proa");
  // Its containerd is still there, and has nothing to report.
  EXPECT_TRUE(soon_is("running", 1)) << lab_->run("status").text;

  // It does not start with keys that others could replace.
  lab_->inside("node-2", "chmod 777 /var/lib/proa");
  lab_->inside("node-2", "pkill -KILL -x -P 1 proa");
  EXPECT_TRUE(soon_is("failing", 3)) << lab_->run("status").text;
  const std::string status = lab_->run("status").text;
  EXPECT_NE(status.find("node-2: its service exited with code 1; the end of "), std::string::npos)
      << status;
  EXPECT_NE(status.find("who could replace the cluster's keys"), std::string::npos) << status;
  const std::string json = lab_->run("status", "-o json").text;
  EXPECT_NE(json.find("\"exitCode\": 1"), std::string::npos) << json;

  lab_->inside("node-2", "chmod 700 /var/lib/proa");
  EXPECT_TRUE(soon_is("running", 3)) << lab_->run("status").text;
  EXPECT_EQ(lab_->run("status").text.find("its service exited"), std::string::npos);
  lab_->wait("node/node-2", "Ready=True");
}

TEST_F(LabTest, LeavesANodeDownThatWasStoppedInside) {
  EXPECT_EQ(lab_->inside("node-3", "stat -c %a /tmp"), "1777");
  lab_->inside("node-3", "proa down");
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
    return lab_->run("status").text.find("`proa lab start node-3 --name ") != std::string::npos;
  })) << lab_->run("status").text;
  const e2e::Outcome started = lab_->run("start", "node-3");
  EXPECT_EQ(started.code, 0) << started.text;
  EXPECT_EQ(lab_->run("status").text.find("proa lab start"), std::string::npos);
  lab_->wait("node/node-3", "Ready=True");
}

TEST_F(LabTest, RefusesConnectionsAtOnceWhileTheServerIsOff) {
  ASSERT_EQ(lab_->run("kill", "node-1").code, 0);
  // The kernel takes its links away a moment after its last process.
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
    return lab_->run("exec", "switch -- test -e /sys/class/net/node-1").code != 0;
  }));
  const SystemClock clock;
  const Steady begin = clock.steady();
  EXPECT_NE(e2e::run_shell("curl -sk --max-time 20 $(sed -n 's/ *server: //p' " + folder_->path() +
                           "/*/kubeconfig)/version")
                .code,
            0);
  EXPECT_LT(clock.steady() - begin, std::chrono::seconds(2));
  const e2e::Outcome started = lab_->run("start", "node-1");
  ASSERT_EQ(started.code, 0) << started.text;
  for (const char* node : {"node/node-1", "node/node-2", "node/node-3"}) {
    lab_->wait(node, "Ready=True");
  }
}

TEST_F(LabTest, LooksAtLabsOnly) {
  const std::string foreign = folder_->path() + "/foreign";
  std::filesystem::create_directory(foreign);
  const std::string all = " --lab-dir " + folder_->path();
  EXPECT_EQ(e2e::run_program("lab list" + all).text.find("foreign"), std::string::npos);
  EXPECT_NE(e2e::run_program("lab down --name foreign" + all).code, 0);
  EXPECT_TRUE(std::filesystem::exists(foreign));
  e2e::run_shell("touch " + foreign + "/file");
  EXPECT_NE(e2e::run_program("lab up --name foreign" + all).text.find("no lab; choose another"),
            std::string::npos);
  std::filesystem::remove_all(foreign);
}

TEST_F(LabTest, SaysWhatIsWrong) {
  EXPECT_NE(lab_->run("exec", "node-9 -- true").text.find("switch, node-1, node-2, node-3, client"),
            std::string::npos);
  EXPECT_NE(lab_->run("kill", "switch").text.find("proa lab cut"), std::string::npos);
  EXPECT_NE(lab_->run("cut", "node-1 node-1").text.find("two different machines"),
            std::string::npos);
  EXPECT_NE(lab_->run("up").text.find("--lab-dir " + folder_->path() + "` removes it"),
            std::string::npos);
}

}  // namespace
}  // namespace proa::lab_tests
