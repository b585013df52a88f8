#include "kubelet/pod/container/container_config.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "testkit/kubelet/config_fixtures.h"

namespace proa::kubelet {
namespace {

using config_test::expect_is_message;
using config_test::expect_json;
using config_test::make_pod;
using config_test::pod_of;

const MachineFacts kMachine{.memory_bytes = 1000};

class ContainerConfig : public testing::Test {
 protected:
  ContainerInputs inputs(const Pod& pod) {
    return {
        .pod = pod, .container = containers_of(pod).front(), .paths = paths_, .machine = kMachine};
  }
  Paths paths_{"/lib/kubelet", "/log/pods"};
};

TEST_F(ContainerConfig, SaysEverythingOfTheContainer) {
  const PodPtr pod = make_pod(
      R"json({"terminationGracePeriodSeconds":30,"containers":[{"name":"app","image":"web:1",
          "command":["run","$(NAME)"],"args":["$$(NAME)","$(OTHER)"],"workingDir":"/w",
          "ports":[{"containerPort":80,"protocol":"TCP"}],"stdin":true,"stdinOnce":true,"tty":true,
          "lifecycle":{"preStop":{"exec":{"command":["stop"]}},"stopSignal":"SIGUSR1"},
          "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]})json",
      R"(,"deletionGracePeriodSeconds":5,"deletionTimestamp":"2026-01-02T03:04:05Z")");
  ContainerInputs given = inputs(*pod);
  given.attempt = 3;
  given.restarts = 4;
  given.image_ref = "sha256:abc";
  given.environment = {{"NAME", "value"}, {"EMPTY", ""}};
  given.mounts = {{.container_path = "/data",
                   .host_path = "/vol",
                   .read_only = true,
                   .recursive_read_only = true,
                   .propagation = ContainerMount::Propagation::kHostToContainer}};
  given.devices = {{.container_path = "/dev/xvda", .host_path = "/dev/sdb", .permissions = "mrw"}};
  const auto made = make_container_config(given);
  ASSERT_TRUE(made.ok());
  expect_is_message(made->root(), "ContainerConfig");
  json::Document rest = made->copy();
  const api::Edit edit(rest);
  EXPECT_EQ(edit["linux"]["resources"]["oom_score_adj"].integer(), 1000);
  edit.remove("linux");
  const std::string hash = container_hash(given.container.view);
  expect_json(rest.root(), R"json({
      "metadata":{"name":"app","attempt":3},
      "image":{"image":"sha256:abc","user_specified_image":"web:1"},
      "command":["run","value"],"args":["$(NAME)","$(OTHER)"],"working_dir":"/w",
      "envs":[{"key":"NAME","value":"value"},{"key":"EMPTY"}],
      "mounts":[
        {"container_path":"/data","host_path":"/vol","readonly":true,"recursive_read_only":true,"propagation":1},
        {"container_path":"/etc/hosts","host_path":"/lib/kubelet/pods/u-1/etc-hosts"},
        {"container_path":"/dev/termination-log","host_path":"/lib/kubelet/pods/u-1/containers/app/3"}],
      "devices":[{"container_path":"/dev/xvda","host_path":"/dev/sdb","permissions":"mrw"}],
      "labels":{"io.kubernetes.pod.name":"web","io.kubernetes.pod.namespace":"shop",
                "io.kubernetes.pod.uid":"u-1","io.kubernetes.container.name":"app"},
      "annotations":{"io.kubernetes.container.hash":")json" +
                               hash + R"json(",
        "io.kubernetes.container.restartCount":"4",
        "io.kubernetes.container.terminationMessagePath":"/dev/termination-log",
        "io.kubernetes.container.terminationMessagePolicy":"File",
        "io.kubernetes.pod.deletionGracePeriod":"5","io.kubernetes.pod.terminationGracePeriod":"30",
        "io.kubernetes.container.preStopHandler":"{\"exec\":{\"command\":[\"stop\"]}}",
        "io.kubernetes.container.ports":"[{\"containerPort\":80,\"protocol\":\"TCP\"}]"},
      "log_path":"app/3.log","stdin":true,"stdin_once":true,"tty":true,"stop_signal":29})json");
}

TEST_F(ContainerConfig, MountsTheHostsFileUnlessTheContainerDoes) {
  const struct {
    const char* name;
    const char* container;
    const char* spec;
    bool has_file;
    bool expected;
  } cases[] = {
      {"as a rule", "", "", true, true},
      {"on the node's network too", "", R"(,"hostNetwork":true)", true, true},
      {"not before there is an address", "", "", false, false},
      {"not over one of its own", R"(,"volumeMounts":[{"name":"v","mountPath":"/etc/hosts"}])", "",
       true, false},
      {"over what stands beside it", R"(,"volumeMounts":[{"name":"v","mountPath":"/etc/hosts2"}])",
       "", true, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = pod_of(c.container, c.spec);
    ContainerInputs given = inputs(*pod);
    given.has_hosts_file = c.has_file;
    const auto made = make_container_config(given);
    EXPECT_EQ(api::View(made->root())["mounts"].size(), c.expected ? 1u : 0u);
  }
}

TEST_F(ContainerConfig, MountsImagesByTheirReference) {
  const PodPtr pod = make_pod(R"({"containers":[{"name":"app","image":"web:1"}]})",
                              R"(,"annotations":{"team":"shop"})");
  ContainerInputs given = inputs(*pod);
  given.has_hosts_file = false;
  given.image_ref = "sha256:def";
  const VolumeImage image{.specified = "data:1", .pull_policy = "Always", .resolved = "sha256:abc"};
  given.mounts = {
      {.container_path = "/data", .image = image, .image_sub_path = "a/b", .read_only = true}};
  const auto made = make_container_config(given);
  ASSERT_TRUE(made.ok());
  expect_is_message(made->root(), "ContainerConfig");
  expect_json(api::View(made->root())["mounts"], R"([{"container_path":"/data","readonly":true,
      "image":{"image":"sha256:abc","user_specified_image":"data:1","annotations":{"team":"shop"}},
      "image_sub_path":"a/b"}])");
}

TEST_F(ContainerConfig, RelabelsOnlyWhereThereIsSELinux) {
  const PodPtr pod = pod_of("");
  ContainerInputs given = inputs(*pod);
  const MachineFacts with_selinux{.memory_bytes = 1000, .has_selinux = true};
  const ContainerInputs labelled{
      .pod = *pod, .container = given.container, .paths = paths_, .machine = with_selinux};
  const auto relabels = [](const ContainerInputs& made_from) {
    const auto made = make_container_config(made_from);
    return api::View(made->root())["mounts"].item(0)["selinux_relabel"].flag();
  };
  EXPECT_FALSE(relabels(given));
  EXPECT_TRUE(relabels(labelled));
}

TEST_F(ContainerConfig, PutsTheTerminationMessageWhereItIsWanted) {
  const struct {
    const char* said;
    const char* expected;
  } cases[] = {{"/dev/termination-log", "/dev/termination-log"},
               {"tmp/message", "/tmp/message"},
               {"/a//b/./../c", "/a/c"},
               {"../../x", "/x"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.said);
    const PodPtr pod = pod_of(std::string(R"(,"terminationMessagePath":")") + c.said + "\"");
    const auto made = make_container_config(inputs(*pod));
    EXPECT_EQ(api::View(made->root())["mounts"].item(1)["container_path"].text(), c.expected);
  }
}

TEST_F(ContainerConfig, OfRootIsRefusedWhereRootIs) {
  const PodPtr pod = pod_of(R"(,"securityContext":{"runAsNonRoot":true})");
  const auto made = make_container_config(inputs(*pod));
  ASSERT_TRUE(made.is(Reason::kBadRequest));
  EXPECT_EQ(made.status().message(),
            "container has runAsNonRoot and image will run as root (pod: \"web_shop(u-1)\", "
            "container: app)");
}

TEST_F(ContainerConfig, SeesTheProcessesOfItsTarget) {
  const PodPtr pod = pod_of("");
  ContainerInputs given = inputs(*pod);
  given.target_id = "c1";
  const auto made = make_container_config(given);
  expect_json(api::View(made->root()).at("linux.security_context.namespace_options"),
              R"({"pid":3,"target_id":"c1"})");
}

TEST(ContainerHash, ChangesWithNameAndImageOnly) {
  const auto hash = [](const char* text) {
    const auto parsed = json::parse(text);
    return container_hash(parsed->root());
  };
  const std::string first = hash(R"({"name":"a","image":"b"})");
  EXPECT_EQ(first.size(), 8u);
  EXPECT_EQ(hash(R"({"name":"a","image":"b","env":[],"resources":{"limits":{"cpu":"1"}}})"), first);
  EXPECT_NE(hash(R"({"name":"a","image":"c"})"), first);
  EXPECT_NE(hash(R"({"name":"ab","image":""})"), first);
}

class ContainerFiles : public ContainerConfig {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/proa-container-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    root_ = folder;
  }
  void TearDown() override {
    for (const char* path :
         {"/k/pods/u-1/containers/app/0", "/k/pods/u-1/containers/app", "/k/pods/u-1/containers",
          "/k/pods/u-1", "/k/pods", "/k", "/l/shop_web_u-1/app", "/l/shop_web_u-1", "/l", ""}) {
      const auto removed = files_.remove(root_ + path);
      EXPECT_TRUE(removed.ok() || removed.is(Reason::kNotFound));
    }
  }
  std::string root_;
  SystemFiles files_;
};

TEST_F(ContainerFiles, AreThereForAnybody) {
  const PodPtr pod = pod_of(R"(,"terminationMessagePath":"/m")");
  const Paths paths(root_ + "/k", root_ + "/l");
  const ContainerInputs given{
      .pod = *pod, .container = containers_of(*pod).front(), .paths = paths, .machine = kMachine};
  ASSERT_TRUE(prepare_container_files(files_, given).ok());
  EXPECT_TRUE(*files_.exists(root_ + "/l/shop_web_u-1/app"));
  const std::string file = root_ + "/k/pods/u-1/containers/app/0";
  struct stat about = {};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0666u);
  // Another try gets another file: nothing of the last one stands in it.
  ASSERT_TRUE(files_.write_file_atomic(file, "old", 0600).ok());
  ASSERT_TRUE(prepare_container_files(files_, given).ok());
  EXPECT_EQ(*files_.read_file(file, 10), "");
}

TEST_F(ContainerFiles, HaveNoNamesThatLeadElsewhere) {
  const PodPtr pod =
      make_pod(R"({"containers":[{"name":"../../x","terminationMessagePath":"/m"}]})");
  const Paths paths(root_ + "/k", root_ + "/l");
  const ContainerInputs given{
      .pod = *pod, .container = containers_of(*pod).front(), .paths = paths, .machine = kMachine};
  EXPECT_TRUE(prepare_container_files(files_, given).is(Reason::kBadRequest));
}

TEST(ReadMachineFacts, TellsOfThisMachine) {
  SystemFiles files;
  const auto facts = read_machine_facts(files, false);
  ASSERT_TRUE(facts.ok());
  EXPECT_GT(facts->memory_bytes, int64_t{1} << 20);
  EXPECT_FALSE(facts->cgroup_v2);
}

}  // namespace
}  // namespace proa::kubelet
