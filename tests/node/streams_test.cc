// Logs, exec, cp, attach and port-forward, with the newest kubectl (WebSocket first, then SPDY) and
// an old one (only SPDY).

#include "given.h"
#include "terminal.h"

namespace proa::node_tests {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;

const Given kBox(Given::with_spec(
    "box",
    "terminationGracePeriodSeconds: 1, containers: [" +
        Given::container("main",
                         "echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three; sleep 1000") +
        ", " + Given::container("side", "echo beside; sleep 1000") + "]"));
const Given kAgain(Given::with_spec(
    "again",
    "terminationGracePeriodSeconds: 1, volumes: [{name: kept, emptyDir: {}}], containers: [" +
        Given::container("main",
                         "if [ -e /kept/been ]; then echo second; sleep 1000; fi; "
                         "touch /kept/been; echo first; exit 3",
                         "volumeMounts: [{name: kept, mountPath: /kept}]") +
        "]"));
const Given kWaiting(Given::with_spec("waiting",
                                      "terminationGracePeriodSeconds: 1, initContainers: [" +
                                          Given::container("first", "sleep 1000") +
                                          "], containers: [" + Given::container("main", "true") +
                                          "]"));
const Given kTicker(Given::pod("ticker", "while sleep 0.1; do echo tick; done"));
const Given kHello(Given::with_spec(
    "hello",
    "terminationGracePeriodSeconds: 1, containers: [{name: main, image: 'proa/hello:1'}]"));

// One per client: their actions can be done only once.
std::string one_each(const char* name, const std::string& script, const std::string& fields = "") {
  std::string yaml;
  for (const char* client : {"new", "old"}) {
    yaml += Given::pod(std::string(name) + "-" + client, script, {.container = fields}) + "\n---\n";
  }
  return yaml;
}
// Waits for a signal, so that it can be followed from its first line to its end.
const Given kShort(one_each("short",
                            "echo line 1; until [ -e /go ]; do sleep 0.1; done; "
                            "for i in 2 3 4; do echo line $i; sleep 0.2; done"));
const Given kReader(one_each("reader",
                             "while read line; do [ $line = bye ] && break; echo got $line; done; "
                             "sleep 0.5",
                             "stdin: true"));

// The kubectl version.
class StreamsTest : public GivenTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    GivenTest::SetUp();
    if (IsSkipped()) return;
    kubectl_ = client() == "new" ? Cluster::newest_kubectl() : Cluster::oldest_kubectl();
    if (kubectl_.empty()) GTEST_SKIP() << "there is no such kubectl";
    static const bool kReady = cluster_->wait("box pod/again pod/ticker pod/hello");
    ASSERT_TRUE(kReady);
  }
  static std::string client() { return GetParam(); }

  // A shell command, with kubectl in $K, and a folder to write to in $D.
  e2e::Outcome shell(const std::string& line) const {
    return e2e::run_shell("export KUBECONFIG=" + cluster_->kubeconfig() + " D=" + folder_.path() +
                          " K='timeout 60 " + kubectl_ + "'\n" + line);
  }
  std::string said(const std::string& line) const { return shell(line).text; }
  std::vector<std::string> words(std::vector<std::string> more) const {
    more.insert(more.begin(), {"env", "KUBECONFIG=" + cluster_->kubeconfig(), kubectl_});
    return more;
  }

  std::string kubectl_;
  const e2e::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Kubectl, StreamsTest, testing::Values("new", "old"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST_P(StreamsTest, LogsAreCutAsWanted) {
  ASSERT_TRUE(cluster_->eventually("logs box -c main", "one\ntwo\nthree"));
  struct Case {
    const char* words;
    const char* text;
  };
  const Case cases[] = {
      {"box -c main", "one\ntwo\nthree\n"},
      {"box -c side", "beside\n"},
      {"box -c main --tail=2", "two\nthree\n"},
      {"box -c main --tail=0", ""},
      {"box -c main --since=1h", "one\ntwo\nthree\n"},
      {"box -c main --since-time=2000-01-01T00:00:00Z", "one\ntwo\nthree\n"},
      {"box -c main --since-time=2200-01-01T00:00:00Z", ""},
      {"box -c main --limit-bytes=5", "one\nt"},
      {"again", "second\n"},
      {"again --previous", "first\n"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.words);
    const e2e::Outcome outcome = shell(std::string("$K logs ") + c.words);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.text, c.text);
  }
  // kubectl queries the containers in random order.
  EXPECT_EQ(said("$K logs box --all-containers | sort"), "beside\none\nthree\ntwo\n");
  EXPECT_THAT(said("$K logs box -c main --timestamps --tail=1"),
              MatchesRegex("20[0-9-]+T[0-9:]+\\.[0-9]{9}Z three\n"));
}

TEST_P(StreamsTest, LogsSayWhyThereIsNone) {
  ASSERT_TRUE(becomes("waiting", "status.initContainerStatuses[0].started", "true"));
  struct Case {
    const char* words;
    const char* text;
  };
  const Case cases[] = {
      {"waiting -c main",
       "Error from server (BadRequest): container \"main\" in pod \"waiting\" is waiting to start: "
       "PodInitializing"},
      {"box -c main --previous",
       "Error from server (BadRequest): previous terminated container \"main\" in pod \"box\" not "
       "found"},
      {"box -c none", "container none is not valid for pod box"},
      {"nobody", "pods \"nobody\" not found"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.words);
    const e2e::Outcome outcome = shell(std::string("$K logs ") + c.words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.text, HasSubstr(c.text));
  }
}

TEST_P(StreamsTest, LogsAreFollowedToTheEndOfTheContainer) {
  const std::string pod = "short-" + client();
  ASSERT_TRUE(cluster_->wait(pod));
  const e2e::Outcome followed =
      shell("(sleep 1; $K exec " + pod + " -- touch /go) >/dev/null & $K logs -f " + pod);
  EXPECT_EQ(followed.code, 0);
  EXPECT_EQ(followed.text, "line 1\nline 2\nline 3\nline 4\n");
  EXPECT_EQ(said("$K logs -f --tail=1 " + pod), "line 4\n");
  // A running container's log has no end.
  const e2e::Outcome cut = shell("timeout 1 ${K#timeout 60} logs -f ticker --tail=1");
  EXPECT_EQ(cut.code, 124);
  EXPECT_THAT(cut.text, HasSubstr("tick\ntick\n"));
}

TEST_P(StreamsTest, ExecTellsHowTheCommandEnded) {
  EXPECT_EQ(said("$K exec box -c main -- echo hi"), "hi\n");
  EXPECT_EQ(said("$K exec box -c side -- cat /etc/hostname"), "box\n");
  const e2e::Outcome failed = shell("$K exec box -c main -- sh -c 'exit 7'");
  EXPECT_EQ(failed.code, 7);
  EXPECT_EQ(failed.text, "command terminated with exit code 7\n");
  const e2e::Outcome killed = shell("$K exec box -c main -- sh -c 'kill -9 $$'");
  EXPECT_EQ(killed.code, 137);
  struct Case {
    const char* words;
    const char* text;
  };
  for (const Case& c : {Case{"box -c main -- none", "not found in $PATH"},
                        Case{"waiting -c main -- ls", "container not found (\"main\")"},
                        Case{"box -c none -- ls", "container none is not valid for pod box"},
                        Case{"nobody -- ls", "pods \"nobody\" not found"}}) {
    SCOPED_TRACE(c.words);
    const e2e::Outcome outcome = shell(std::string("$K exec ") + c.words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.text, HasSubstr(c.text));
  }
}

TEST_P(StreamsTest, ExecKeepsItsStreamsApart) {
  const std::string both = "$K exec box -c main -- sh -c 'echo out; echo err >&2' ";
  EXPECT_EQ(said(both + "2>/dev/null"), "out\n");
  EXPECT_EQ(said(both + "2>&1 >/dev/null"), "err\n");
  EXPECT_EQ(said("echo fed | $K exec -i box -c main -- cat"), "fed\n");
  // Without -i there is no input.
  EXPECT_EQ(said("echo fed | $K exec box -c main -- cat"), "");
  const std::string carried = said(
      "head -c 3000000 /dev/urandom > $D/blob\n"
      "$K exec -i box -c main -- tee /tmp/blob < $D/blob | md5sum\n"
      "$K exec box -c main -- cat /tmp/blob | md5sum\n"
      "md5sum < $D/blob");
  const std::string line = carried.substr(0, carried.find('\n') + 1);
  EXPECT_EQ(carried, line + line + line);
}

TEST_P(StreamsTest, ExecOnATerminalFollowsItsSize) {
  Terminal terminal(words({"exec", "-it", "box", "-c", "main", "--", "sh"}),
                    {.rows = 33, .columns = 77});
  ASSERT_TRUE(terminal.shows("# ")) << terminal.shown();
  terminal.type("tty; stty size\n");
  EXPECT_TRUE(terminal.shows("/dev/pts/")) << terminal.shown();
  EXPECT_TRUE(terminal.shows("33 77")) << terminal.shown();
  terminal.resize({.rows = 44, .columns = 99});
  // The new size is sent on a separate channel.
  terminal.type("until stty size | grep '44 99'; do sleep 0.1; done; echo changed''\n");
  EXPECT_TRUE(terminal.shows("\n44 99")) << terminal.shown();
  EXPECT_TRUE(terminal.shows("\nchanged")) << terminal.shown();
  terminal.type("exit 5\n");
  EXPECT_EQ(terminal.end(), 5) << terminal.shown();
}

TEST_P(StreamsTest, FilesAreCopiedBothWays) {
  const std::string place = "box:/tmp/from-" + client();
  const e2e::Outcome copied = shell(
      "mkdir -p $D/tree/a/b && echo deep > $D/tree/a/b/c\n"
      "head -c 300000 /dev/urandom > $D/tree/blob\n"
      "$K cp $D/tree " +
      place + " -c main && $K cp " + place +
      " $D/back -c main &&\n"
      "diff -r $D/tree $D/back");
  EXPECT_EQ(copied.code, 0) << copied.text;
}

TEST_P(StreamsTest, AttachSeesWhatTheContainerSays) {
  const e2e::Outcome watched = shell("timeout 2 ${K#timeout 60} attach ticker");
  EXPECT_EQ(watched.code, 124);
  EXPECT_THAT(watched.text, HasSubstr("tick\ntick\n"));
  const std::string pod = "reader-" + client();
  ASSERT_TRUE(cluster_->wait(pod));
  // containerd forwards the input before it reads the output: the container's response to the first
  // input may be lost.
  const e2e::Outcome talked =
      shell("(sleep 1; echo hello; sleep 0.5; echo bye) | $K attach -i " + pod);
  EXPECT_EQ(talked.code, 0);
  EXPECT_THAT(talked.text, EndsWith("got hello\n"));
  EXPECT_TRUE(becomes(pod, "status.phase", "Succeeded"));
  const e2e::Outcome late = shell("$K attach " + pod);
  EXPECT_EQ(late.code, 1);
  EXPECT_THAT(late.text, HasSubstr("completed pod"));
}

TEST_P(StreamsTest, PortsAreForwarded) {
  const std::string port = std::to_string(testkit::free_port());
  const std::string closed = std::to_string(testkit::free_port());
  const std::string output = folder_.file("output", "");
  testkit::Process forward(words({"port-forward", "hello", port + ":8080", closed + ":81"}),
                           output);
  ASSERT_TRUE(testkit::wait_for_port(std::stoi(port))) << said("cat " + output);
  const std::string hello = "Hello from hello, run by Proa.\n";
  const std::string ask = "curl -sS -m 10 http://127.0.0.1:" + port + "/";
  EXPECT_EQ(said(ask + "; " + ask), hello + hello);
  // Concurrently over one connection.
  EXPECT_EQ(said("for i in 1 2 3 4 5; do " + ask + " & done; wait"),
            hello + hello + hello + hello + hello);
  EXPECT_NE(shell("curl -sS -m 10 http://127.0.0.1:" + closed + "/").code, 0);
  EXPECT_EQ(shell("timeout 10 sh -c 'until grep -q \"connection refused\" " + output +
                  "; do sleep 0.1; done'")
                .code,
            0)
      << said("cat " + output);
}

}  // namespace
}  // namespace proa::node_tests
