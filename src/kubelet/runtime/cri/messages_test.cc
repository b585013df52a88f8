#include "kubelet/runtime/cri/messages.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf/from_protobuf.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/schema/builtin.h"
#include "json/parse.h"

namespace proa::kubelet::cri {
namespace messages_test {

// What a runtime would say, there and back over the wire.
json::Document message(const std::string& type_name, const std::string& text) {
  const api::Schema& schema = api::cri_schema();
  const api::Type* type = schema.find_openapi("runtime.v1." + type_name);
  CHECK(type != nullptr);
  const auto parsed = json::parse(text);
  CHECK(parsed.ok());
  const auto bytes = api::to_protobuf(parsed->root(), *type);
  CHECK(bytes.ok());
  auto read = api::from_protobuf(*bytes, *type, schema);
  CHECK(read.ok());
  return std::move(*read);
}

TEST(ReadSandbox, TakesAddressesInOrder) {
  const auto said = message("PodSandboxStatus", R"({
      "id": "s1", "metadata": {"name": "web", "namespace": "default", "uid": "u", "attempt": 4000000000},
      "state": 0, "created_at": 5, "runtime_handler": "crun",
      "network": {"ip": "10.0.0.1", "additional_ips": [{"ip": "fd00::1"}]},
      "labels": {"a": "b"}, "annotations": {"c": ""}})");
  const Sandbox found = read_sandbox(said.root());
  EXPECT_EQ(found.id, "s1");
  EXPECT_EQ(found.name, "web");
  EXPECT_EQ(found.name_space, "default");
  EXPECT_EQ(found.uid, "u");
  EXPECT_EQ(found.attempt, 4000000000U);
  EXPECT_EQ(found.state, SandboxState::kReady);
  EXPECT_EQ(found.created, Time(Duration(5)));
  EXPECT_EQ(found.runtime_handler, "crun");
  EXPECT_EQ(found.addresses, (std::vector<std::string>{"10.0.0.1", "fd00::1"}));
  EXPECT_EQ(found.labels, (Labels{{"a", "b"}}));
  EXPECT_EQ(found.annotations, (Labels{{"c", ""}}));
}

TEST(ReadSandbox, HasNoAddressesWhereOneIsNone) {
  struct Case {
    const char* name;
    const char* network;
    size_t count;
  };
  const Case cases[] = {
      {"of the node", R"({"network": {}})", 0},
      {"nothing said", "{}", 0},
      {"only additional ones", R"({"network": {"additional_ips": [{"ip": "10.0.0.2"}]}})", 1},
      {"a broken first one", R"({"network": {"ip": "10.0.0", "additional_ips": [{"ip": "::1"}]}})",
       0},
      {"a broken other one", R"({"network": {"ip": "10.0.0.1", "additional_ips": [{"ip": ""}]}})",
       0},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(read_sandbox(message("PodSandboxStatus", one.network).root()).addresses.size(),
              one.count);
  }
}

TEST(ReadContainer, TakesAllThatAStatusSays) {
  const auto said = message("ContainerStatus", R"({
      "id": "c1", "metadata": {"name": "main", "attempt": 2}, "state": 2, "created_at": 1,
      "started_at": 2, "finished_at": 3, "exit_code": -1, "image": {"image": "busybox"},
      "image_ref": "busybox@sha256:1", "image_id": "sha256:2", "reason": "Error", "message": "m",
      "log_path": "/l", "resources": {"linux": {"cpu_period": 1, "cpu_quota": 2, "cpu_shares": 3,
      "memory_limit_in_bytes": 4}}, "user": {"linux": {"uid": 5, "supplemental_groups": [6, 7]}},
      "mounts": [{"host_path": "/h"}, {"image": {"image": "sha256:3"}, "image_sub_path": "s"}],
      "stop_signal": 23})");
  const Container found = read_container(said.root());
  EXPECT_EQ(found.name, "main");
  EXPECT_EQ(found.attempt, 2U);
  EXPECT_EQ(found.state, ContainerState::kExited);
  EXPECT_EQ(found.finished, Time(Duration(3)));
  EXPECT_EQ(found.exit_code, -1);
  EXPECT_EQ(found.image, "busybox");
  EXPECT_EQ(found.image_id, "sha256:2");
  EXPECT_EQ(found.log_path, "/l");
  EXPECT_EQ(found.mounted_images, std::vector<std::string>{"sha256:3"});
  ASSERT_TRUE(found.resources.has_value());
  EXPECT_EQ(found.resources->memory_limit, 4);
  ASSERT_TRUE(found.user.has_value());
  EXPECT_EQ(found.user->uid, 5);
  EXPECT_EQ(found.user->gid, 0);
  EXPECT_EQ(found.user->supplemental_groups, (std::vector<int64_t>{6, 7}));
  EXPECT_EQ(found.stop_signal, "SIGTERM");
}

TEST(ReadContainer, WhatIsNotSaidIsZero) {
  const Container found =
      read_container(message("Container", R"({"image_ref": "r", "pod_sandbox_id": "s"})").root());
  EXPECT_EQ(found.state, ContainerState::kCreated) << "zero, which nobody writes";
  EXPECT_EQ(found.sandbox_id, "s");
  EXPECT_EQ(found.image_id, "r") << "older runtimes say no id";
  EXPECT_FALSE(found.user.has_value());
  EXPECT_FALSE(found.resources.has_value());
  EXPECT_EQ(found.stop_signal, "");
  EXPECT_EQ(read_container(message("Container", R"({"state": 9})").root()).state,
            ContainerState::kUnknown);
}

TEST(ReadImage, TellsRootFromNobodySaid) {
  const Image root = read_image(message("Image", R"({"id": "i", "uid": {}})").root());
  ASSERT_TRUE(root.uid.has_value());
  EXPECT_EQ(*root.uid, 0);
  const auto said = message("Image", R"({"id": "i", "repo_tags": ["a", "b"], "size": 7,
                                         "repo_digests": ["d"], "username": "web", "pinned": true})");
  const Image named = read_image(said.root());
  EXPECT_FALSE(named.uid.has_value());
  EXPECT_EQ(named.user_name, "web");
  EXPECT_EQ(named.tags.size(), 2U);
  EXPECT_EQ(named.size, 7);
  EXPECT_TRUE(named.pinned);
}

TEST(ReadReadiness, TakesConditionsAndFeatures) {
  const auto said = message("StatusResponse", R"({
      "status": {"conditions": [
        {"type": "RuntimeReady", "status": true},
        {"type": "NetworkReady", "reason": "NetworkPluginNotReady", "message": "no cni"},
        {"type": "Other", "status": true}]},
      "runtime_handlers": [{"name": "runc", "features": {"recursive_read_only_mounts": true}}, {}],
      "features": {"supplemental_groups_policy": true}})");
  const RuntimeReadiness found = read_readiness(said.root());
  EXPECT_TRUE(found.runtime_ready);
  EXPECT_FALSE(found.network_ready);
  EXPECT_EQ(found.network_reason, "NetworkPluginNotReady");
  EXPECT_EQ(found.network_message, "no cni");
  ASSERT_EQ(found.handlers.size(), 2U);
  EXPECT_TRUE(found.handlers[0].recursive_read_only_mounts);
  EXPECT_FALSE(found.handlers[0].user_namespaces);
  EXPECT_TRUE(found.supplemental_groups_policy);
}

TEST(ReadExecResult, KeepsBytes) {
  const auto found = read_exec_result(std::string("\x0a\x03\x00\xff\x0a\x12\x01x\x18\x05", 10));
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->output, std::string("\x00\xff\x0a", 3));
  EXPECT_EQ(found->errors, "x");
  EXPECT_EQ(found->exit_code, 5);
  EXPECT_EQ(read_exec_result("")->exit_code, 0);
  EXPECT_TRUE(read_exec_result("\x0a\x09x").is(Reason::kInternalError));
}

}  // namespace messages_test
}  // namespace proa::kubelet::cri
