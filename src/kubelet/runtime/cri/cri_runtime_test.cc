#include "kubelet/runtime/cri/cri_runtime.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/schema/builtin.h"
#include "http/wire/grpc_frame.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/http/scripted_server.h"

namespace proa::kubelet::cri {
namespace cri_runtime_test {

using namespace std::chrono_literals;
using testkit::ScriptedHttp2;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

const api::Type& type(const std::string& name) {
  const api::Type* found = api::cri_schema().find_openapi("runtime.v1." + name);
  CHECK(found != nullptr);
  return *found;
}

// What the runtime is asked, and what it shall answer.
struct Script {
  std::string answer = {};  // bytes
  std::string code = "0";
  std::string words = {};
  std::string path = {};
  std::string timeout = {};
  std::string request = {};  // bytes
};

struct RuntimePeer : ScriptedHttp2 {
  RuntimePeer(ScriptedPeer& peer, Script& shared) : ScriptedHttp2(peer), script(shared) {}

  void on_request(http::StreamId, http::RequestHead head, bool) override {
    script.path = head.target;
    script.timeout = head.headers.get("grpc-timeout");
    script.request.clear();
  }
  void on_body(http::StreamId stream, std::string_view bytes) override {
    session.consume(stream, bytes.size());
    script.request += bytes;
  }
  void on_body_end(http::StreamId stream, http::Headers) override {
    script.request.erase(0, 5);  // the frame's head
    session.respond(stream, {200, {{"content-type", "application/grpc"}}}, false);
    if (script.code == "0") session.send(stream, http::print_grpc_frame(script.answer));
    session.end(stream, {{"grpc-status", script.code}, {"grpc-message", script.words}});
  }

  Script& script;
};

// One call at a time: the script is read when its answer has come.
class CriRuntimeTest : public testing::Test {
 protected:
  void answer(const std::string& type_name, const std::string& text) {
    const auto parsed = json::parse(text);
    CHECK(parsed.ok());
    auto bytes = api::to_protobuf(parsed->root(), type(type_name));
    CHECK(bytes.ok());
    script.answer = std::move(*bytes);
  }
  void fail(const char* code, const char* words) {
    script.code = code;
    script.words = words;
  }
  // The request as JSON; what is zero is left out.
  std::string asked(const std::string& type_name) const {
    const auto read = api::from_protobuf(script.request, type(type_name), api::cri_schema());
    return read.ok() ? json::print(read->root()) : read.status().message();
  }

  Script script;
  SystemClock clock;
  http::LoopGroup loops{1};
  http::Client client{loops, clock, {}};
  ScriptedServer server{[this](ScriptedPeer& peer, int) { RuntimePeer(peer, script).run(); }};
  std::unique_ptr<Runtime> runtime = connect_runtime(client, server.origin());
};

TEST_F(CriRuntimeTest, CallsAreOnesOfCri) {
  answer("VersionResponse", R"({"runtime_name": "x", "runtime_api_version": "v1"})");
  const auto version = runtime->version({});
  ASSERT_TRUE(version.ok()) << version.status().message();
  EXPECT_EQ(version->name, "x");
  EXPECT_EQ(script.path, "/runtime.v1.RuntimeService/Version");
  answer("ImageStatusResponse", R"({"image": {"id": "sha256:1", "size": 5}})");
  const auto image = runtime->image("busybox", {});
  ASSERT_TRUE(image.ok() && image->has_value());
  EXPECT_EQ(script.path, "/runtime.v1.ImageService/ImageStatus");
  EXPECT_EQ(asked("ImageStatusRequest"), R"({"image":{"image":"busybox"}})");
}

TEST_F(CriRuntimeTest, PutsConfigurationsIntoRequests) {
  answer("CreateContainerResponse", R"({"container_id": "c1"})");
  const auto config = json::parse(R"({"metadata": {"name": "main", "attempt": 1},
      "envs": [{"key": "A", "value": "b"}],
      "linux": {"security_context": {"run_as_user": {"value": 0}}}})");
  const auto pod = json::parse(R"({"hostname": "h"})");
  const auto made = runtime->create_container("s1", config->root(), pod->root(), {});
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(*made, "c1");
  EXPECT_EQ(asked("CreateContainerRequest"),
            R"({"pod_sandbox_id":"s1","config":{"metadata":{"name":"main","attempt":1},)"
            R"("envs":[{"key":"A","value":"b"}],)"
            R"("linux":{"security_context":{"run_as_user":{}}}},)"
            R"("sandbox_config":{"hostname":"h"}})");
  const auto wrong = json::parse(R"({"metadata": "x"})");
  EXPECT_TRUE(runtime->run_sandbox(wrong->root(), "", {}).is(Reason::kBadRequest));
  answer("CreateContainerResponse", "{}");
  EXPECT_TRUE(
      runtime->create_container("s1", config->root(), pod->root(), {}).is(Reason::kInternalError))
      << "an id must come back";
}

TEST_F(CriRuntimeTest, FiltersByPod) {
  answer("ListContainersResponse", R"({"containers": [{"id": "c1", "pod_sandbox_id": "s1"}]})");
  const auto found = runtime->containers({.sandbox_id = "s1", .pod_uid = api::Uid("u")}, {});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().sandbox_id, "s1");
  EXPECT_EQ(asked("ListContainersRequest"), R"({"filter":{"pod_sandbox_id":"s1",)"
                                            R"("label_selector":{"io.kubernetes.pod.uid":"u"}}})");
  answer("ListPodSandboxResponse", "{}");
  ASSERT_TRUE(runtime->sandboxes({}, {}).ok());
  EXPECT_EQ(asked("ListPodSandboxRequest"), "{}");
}

TEST_F(CriRuntimeTest, PullsSayWhoPullsOnlyWhereSomebodyDoes) {
  answer("PullImageResponse", R"({"image_ref": "sha256:1"})");
  const json::Value nothing{};
  ASSERT_EQ(*runtime->pull_image("busybox", {}, nothing, {}), "sha256:1");
  EXPECT_EQ(asked("PullImageRequest"), R"({"image":{"image":"busybox"}})");
  ASSERT_TRUE(runtime->pull_image("busybox", {.user = "u", .password = "p"}, nothing, {}).ok());
  EXPECT_EQ(asked("PullImageRequest"),
            R"({"image":{"image":"busybox"},"auth":{"username":"u","password":"p"}})");
  answer("PullImageResponse", "{}");
  EXPECT_EQ(runtime->pull_image("busybox", {}, nothing, {}).status().message(),
            "imageRef of image \"busybox\" is not set");
}

TEST_F(CriRuntimeTest, FailuresKeepTheRuntimesWords) {
  fail("5", "no such container");
  const auto missing = runtime->container("c1", {});
  EXPECT_TRUE(missing.is(Reason::kNotFound));
  EXPECT_EQ(missing.status().message(), "no such container");
  for (const auto& gone : {runtime->stop_container("c1", 1s, {}),
                           runtime->remove_container("c1", {}), runtime->stop_sandbox("s1", {}),
                           runtime->remove_sandbox("s1", {}), runtime->remove_image("i", {})}) {
    EXPECT_TRUE(gone.ok()) << gone.status().message();
  }
  EXPECT_TRUE(runtime->start_container("c1", {}).is(Reason::kNotFound));
  fail("4", "too late");
  EXPECT_TRUE(runtime->version({}).is(Reason::kTimeout));
  EXPECT_EQ(runtime->exec("c1", {"sh", "-c", "x \"y\""}, 1500ms, {}).status().message(),
            "command timed out: \"sh -c x \\\"y\\\"\" timed out after 1.5s");
  fail("2", "boom");
  EXPECT_TRUE(runtime->exec("c1", {"x"}, 1s, {}).is(Reason::kInternalError));
}

TEST_F(CriRuntimeTest, CallsHaveUpstreamsDeadlines) {
  const json::Value nothing{};
  answer("RunPodSandboxResponse", R"({"pod_sandbox_id": "s"})");
  // As grpc-timeout has it: what is left, in the smallest unit that eight digits can say.
  const auto seconds = [&] {
    const std::string& text = script.timeout;
    if (text.empty()) return int64_t{0};
    const double number = std::stod(text.substr(0, text.size() - 1));
    const double unit = text.back() == 'u' ? 1e6 : text.back() == 'm' ? 1e3 : 1;
    return static_cast<int64_t>(number / unit + 0.5);
  };
  ASSERT_TRUE(runtime->run_sandbox(nothing, "", {}).ok());
  EXPECT_EQ(seconds(), 240);
  ASSERT_TRUE(runtime->stop_sandbox("s", {}).ok());
  EXPECT_EQ(seconds(), 120);
  ASSERT_TRUE(runtime->stop_container("c", 30s, {}).ok());
  EXPECT_EQ(seconds(), 150);
  EXPECT_EQ(asked("StopContainerRequest"), R"({"container_id":"c","timeout":30})");
  script.answer.clear();
  ASSERT_TRUE(runtime->exec("c", {"x"}, 10s, {}).ok());
  EXPECT_EQ(seconds(), 130);
  ASSERT_TRUE(runtime->exec("c", {"x"}, 0s, {}).ok());
  EXPECT_EQ(seconds(), 0) << "no bound";
  EXPECT_EQ(asked("ExecSyncRequest"), R"({"container_id":"c","cmd":["x"]})");
  ASSERT_TRUE(runtime->stop_sandbox("s", Until::after(clock, 5s)).ok());
  EXPECT_EQ(seconds(), 5);
}

TEST_F(CriRuntimeTest, StreamsAreAskedForAsChosen) {
  answer("ExecResponse", R"({"url": "http://127.0.0.1:1/x"})");
  ASSERT_EQ(*runtime->exec_url("c", {"sh"}, {.tty = true, .output = true}, {}),
            "http://127.0.0.1:1/x");
  EXPECT_EQ(asked("ExecRequest"), R"({"container_id":"c","cmd":["sh"],"tty":true,"stdout":true})");
  ASSERT_TRUE(runtime->attach_url("c", {.input = true, .errors = true}, {}).ok());
  EXPECT_EQ(asked("AttachRequest"), R"({"container_id":"c","stdin":true,"stderr":true})");
  ASSERT_TRUE(runtime->port_forward_url("s", {80, 443}, {}).ok());
  EXPECT_EQ(asked("PortForwardRequest"), R"({"pod_sandbox_id":"s","port":[80,443]})");
}

}  // namespace cri_runtime_test
}  // namespace proa::kubelet::cri
