// The effect of probes on containers and their pods.

#include "given.h"

namespace proa::node_tests {
namespace {

using ProbesTest = GivenTest;

constexpr const char* kStays = "trap 'exit 0' TERM; sleep 1000 & wait";
const std::string kFirst = "status.containerStatuses[0].";

std::string probed(const std::string& name, const std::string& script, const std::string& probes) {
  return Given::with_spec(name, "terminationGracePeriodSeconds: 1, containers: [" +
                                    Given::container("main", script, probes) + "]");
}
std::string hello(const std::string& name, const std::string& probes) {
  return Given::with_spec(name,
                          "containers: [{name: main, image: 'proa/hello:1', " + probes + "}]");
}

const Given kReady(probed(
    "ready", kStays, "readinessProbe: {exec: {command: [cat, /tmp/ready]}, periodSeconds: 1}"));
TEST_F(ProbesTest, ReadinessFollowsWhatACommandSays) {
  ASSERT_TRUE(becomes("ready", kFirst + "started", "true"));
  EXPECT_TRUE(hears("ready",
                    "Warning Unhealthy Readiness probe failed: cat: can't open '/tmp/ready': No "
                    "such file or directory"));
  EXPECT_EQ(field("ready", kFirst + "ready"), "false");
  EXPECT_EQ(field("ready", "status.conditions[?(@.type==\"Ready\")].message"),
            "containers with unready status: [main]");
  cluster_->inside("ready", "touch /tmp/ready");
  ASSERT_TRUE(cluster_->wait("ready"));
  cluster_->inside("ready", "rm /tmp/ready");
  ASSERT_TRUE(cluster_->wait("ready", "condition=Ready=false"));
  EXPECT_EQ(field("ready", kFirst + "restartCount"), "0");
}

const Given kHttp(hello("http",
                        "ports: [{name: web, containerPort: 8080}], "
                        "readinessProbe: {httpGet: {path: /healthz, port: web}, periodSeconds: 1}, "
                        "livenessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}, "
                        "startupProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}"));
TEST_F(ProbesTest, HttpAndTcpProbesReachThePod) {
  ASSERT_TRUE(cluster_->wait("http"));
  EXPECT_EQ(field("http", kFirst + "restartCount"), "0");
}

const Given kHttpWrong(hello("http-wrong",
                             "readinessProbe: {httpGet: {path: /, port: 8081}, periodSeconds: 1}"));
TEST_F(ProbesTest, AClosedPortIsNotReady) {
  EXPECT_TRUE(hears("http-wrong", "Warning Unhealthy Readiness probe failed: Get \"http://"));
  EXPECT_TRUE(hears("http-wrong", "connect: connection refused"));
  EXPECT_EQ(field("http-wrong", kFirst + "ready"), "false");
}

const Given kTcpWrong(hello("tcp-wrong",
                            "readinessProbe: {tcpSocket: {port: 8081}, periodSeconds: 1}"));
TEST_F(ProbesTest, AClosedTcpPortIsNotReady) {
  EXPECT_TRUE(hears("tcp-wrong", "Warning Unhealthy Readiness probe failed: dial tcp "));
}

const Given kGrpc(hello("grpc", "readinessProbe: {grpc: {port: 8081}, periodSeconds: 1}"));
TEST_F(ProbesTest, AGrpcServerThatIsNotThereIsNotReady) {
  EXPECT_TRUE(hears(
      "grpc", "Warning Unhealthy Readiness probe failed: timeout: failed to connect service "));
  EXPECT_EQ(field("grpc", kFirst + "ready"), "false");
}

const Given kGate(Given::with_spec(
    "gate",
    "readinessGates: [{conditionType: example.com/open}], containers: [{name: main, image: "
    "'proa/hello:1'}]"));
TEST_F(ProbesTest, GatesHoldReadinessBack) {
  ASSERT_TRUE(cluster_->wait("gate", "condition=ContainersReady"));
  EXPECT_EQ(field("gate", "status.conditions[?(@.type==\"Ready\")].reason"),
            "ReadinessGatesNotReady");
  EXPECT_EQ(field("gate", "status.conditions[?(@.type==\"Ready\")].message"),
            "corresponding condition of pod readiness gate \"example.com/open\" does not exist.");
  cluster_->ask(
      "patch pod gate --subresource=status -p "
      "'{\"status\":{\"conditions\":[{\"type\":\"example.com/open\",\"status\":\"True\"}]}}'");
  EXPECT_TRUE(cluster_->wait("gate"));
}

const Given kLive(
    probed("live", "touch /tmp/live; " + std::string(kStays),
           "livenessProbe: {exec: {command: [test, -e, /tmp/live]}, periodSeconds: 1, "
           "failureThreshold: 2}"));
TEST_F(ProbesTest, LivenessRestartsTheContainer) {
  ASSERT_TRUE(cluster_->wait("live"));
  const std::string before = field("live", kFirst + "containerID");
  cluster_->inside("live", "rm /tmp/live");
  ASSERT_TRUE(becomes("live", kFirst + "restartCount", "1"));
  EXPECT_TRUE(hears("live", "Warning Unhealthy Liveness probe failed: "));
  EXPECT_TRUE(
      hears("live", "Normal Killing Container main failed liveness probe, will be restarted"));
  EXPECT_EQ(field("live", kFirst + "lastState.terminated.containerID"), before);
  EXPECT_TRUE(cluster_->wait("live"));
}

// It exits successfully when stopped: the restart policy alone would not restart it.
const Given kLiveOnFailure(Given::with_spec(
    "live-on-failure",
    "restartPolicy: OnFailure, terminationGracePeriodSeconds: 1, containers: [" +
        Given::container("main", "touch /tmp/live; " + std::string(kStays),
                         "livenessProbe: {exec: {command: [test, -e, /tmp/live]}, periodSeconds: "
                         "1, failureThreshold: 1}") +
        "]"));
TEST_F(ProbesTest, LivenessRestartsWhoEndsWellToo) {
  ASSERT_TRUE(cluster_->wait("live-on-failure"));
  cluster_->inside("live-on-failure", "rm /tmp/live");
  ASSERT_TRUE(becomes("live-on-failure", kFirst + "restartCount", "1"));
  EXPECT_EQ(field("live-on-failure", kFirst + "lastState.terminated.exitCode"), "0");
  EXPECT_EQ(field("live-on-failure", "status.phase"), "Running");
  EXPECT_TRUE(cluster_->wait("live-on-failure"));
}

// Without a startup probe the liveness probe would kill it immediately.
const Given kSlow(probed("slow", kStays,
                         "startupProbe: {exec: {command: [test, -e, /tmp/up]}, periodSeconds: 1, "
                         "failureThreshold: 100}, "
                         "livenessProbe: {exec: {command: [test, -e, /tmp/up]}, periodSeconds: 1, "
                         "failureThreshold: 1}, readinessProbe: {exec: {command: ['true']}, "
                         "periodSeconds: 1}"));
TEST_F(ProbesTest, StartupHoldsTheOtherProbesBack) {
  ASSERT_TRUE(hears("slow", "Warning Unhealthy Startup probe failed: "));
  EXPECT_EQ(field("slow", kFirst + "started"), "false");
  EXPECT_EQ(field("slow", kFirst + "ready"), "false");
  EXPECT_EQ(field("slow", "status.phase"), "Running");
  cluster_->inside("slow", "touch /tmp/up");
  ASSERT_TRUE(cluster_->wait("slow"));
  EXPECT_EQ(field("slow", kFirst + "started"), "true");
  EXPECT_EQ(field("slow", kFirst + "restartCount"), "0");
}

// As PID 1 of a container, sleep ignores the signal.
const Given kOwnGrace(Given::with_spec(
    "own-grace",
    "terminationGracePeriodSeconds: 1000, containers: [{name: main, image: 'busybox:1', command: "
    "[sleep, '1000'], startupProbe: {exec: {command: ['false']}, periodSeconds: 1, "
    "failureThreshold: 1, terminationGracePeriodSeconds: 1}}]"));
TEST_F(ProbesTest, AProbeMayHaveAGracePeriodOfItsOwn) {
  // It may have been restarted more than once by now.
  EXPECT_TRUE(becomes("own-grace", kFirst + "lastState.terminated.exitCode", "137"));
  EXPECT_TRUE(
      hears("own-grace", "Normal Killing Container main failed startup probe, will be restarted"));
  cluster_->ask("delete pod own-grace --force --grace-period=0");
}

const Given kSlowAnswer(probed("slow-answer", kStays,
                               "readinessProbe: {exec: {command: [sleep, '100']}, periodSeconds: "
                               "1, timeoutSeconds: 1}"));
TEST_F(ProbesTest, ACommandThatTakesTooLongHasFailed) {
  EXPECT_TRUE(hears("slow-answer",
                    "Warning Unhealthy Readiness probe failed: command timed out: \"sleep 100\" "
                    "timed out after 1s"));
}

}  // namespace
}  // namespace proa::node_tests
