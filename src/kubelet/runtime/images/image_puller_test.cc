#include "kubelet/runtime/images/image_puller.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "http/client/grpc_status.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class Secrets final : public ObjectSource {
 public:
  Result<api::ObjectPtr> get(std::string_view, std::string_view, std::string_view name_space,
                             std::string_view name) override {
    const auto found = objects.find(std::string(name_space) + "/" + std::string(name));
    if (found == objects.end()) return Status(Reason::kNotFound, "no such secret");
    return found->second;
  }
  std::map<std::string, api::ObjectPtr> objects;
};

class ImagePullerTest : public testing::Test {
 protected:
  static PodPtr make_pod(const std::string& uid, const std::string& image,
                         const std::string& policy, const std::string& more = {}) {
    return *Pod::read(
        api::Object::make(R"({"metadata":{"name":"p","namespace":"d","uid":")" + uid +
                          R"("},"spec":{)" + more + R"("containers":[{"name":"web","image":")" +
                          image + R"(","imagePullPolicy":")" + policy + R"("}]}})"),
        Pod::Source::kApi);
  }
  static cri::Image image(const std::string& id, int64_t size = 42) {
    cri::Image made;
    made.id = id;
    made.size = size;
    return made;
  }
  ImageState ensure(const PodPtr& pod) {
    return puller->ensure(pod, *find_container(*pod, "web"), sandbox);
  }
  // "ErrImagePull: no such image".
  static std::string words(const ImageState& state) {
    if (state.kind == ImageState::Kind::kReady) return "ready " + state.reference;
    if (state.kind == ImageState::Kind::kPulling) return "pulling";
    return state.reason + ": " + state.message;
  }
  Lines events_of() {
    Lines told = events.take();
    for (std::string& line : told) {
      const size_t part = line.find(" spec.containers{web}");
      if (part != std::string::npos) line.erase(part, std::string(" spec.containers{web}").size());
    }
    return told;
  }

  testkit::FakeClock clock;
  SeededRandom random{1};
  WorkerPool pool{{.max_threads = 0}};  // pulls are over before ensure() returns
  testkit::FakeRuntime runtime{clock};
  testkit::RecordedEvents events{clock};
  Secrets secrets;
  std::string changed;
  json::Value sandbox = json::Value::object();
  std::unique_ptr<ImagePuller> puller =
      make_image_puller({clock, random, pool, runtime, events.recorder(), secrets,
                         [this](api::UidView uid) { changed += uid.str() + " "; }, 5});
};

TEST_F(ImagePullerTest, PullsWhatIsNotThere) {
  runtime.offer_image("app:latest", image("sha256:1"));
  const PodPtr pod = make_pod("u", "app", "IfNotPresent");
  EXPECT_EQ(words(ensure(pod)), "pulling");
  EXPECT_EQ(changed, "u ");
  EXPECT_EQ(words(ensure(pod)), "ready sha256:1");
  EXPECT_EQ(events_of(),
            (Lines{"Normal Pulling Pulling image \"app\"",
                   "Normal Pulled Successfully pulled image \"app\" in 0s (0s including waiting). "
                   "Image size: 42 bytes."}));
  EXPECT_EQ(words(ensure(pod)), "ready sha256:1");
  EXPECT_EQ(events_of(), Lines{"Normal Pulled Container image \"app\" already present on machine "
                               "and can be accessed by the pod"});
  EXPECT_EQ(runtime.calls(), Lines{"pull_image app:latest"});
}

TEST_F(ImagePullerTest, AlwaysMeansForEveryStart) {
  runtime.offer_image("app:1", image("sha256:1"));
  const PodPtr pod = make_pod("u", "app:1", "Always");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(words(ensure(pod)), "pulling");
    EXPECT_EQ(words(ensure(pod)), "ready sha256:1");
  }
  EXPECT_EQ(runtime.calls().size(), 2u);
}

TEST_F(ImagePullerTest, NeverMeansNever) {
  const PodPtr pod = make_pod("u", "app:1", "Never");
  const ImageState state = ensure(pod);
  EXPECT_EQ(
      words(state),
      "ErrImageNeverPull: Container image \"app:1\" is not present with pull policy of Never");
  EXPECT_LT(state.again, Steady::max());
  EXPECT_EQ(events_of(),
            (Lines{"Warning ErrImageNeverPull Container image \"app:1\" is not present with pull "
                   "policy of Never",
                   "Warning Failed Error: ErrImageNeverPull"}));
  runtime.add_image("app:1", image("sha256:1"));
  EXPECT_EQ(words(ensure(pod)), "ready sha256:1");
  EXPECT_TRUE(runtime.calls().empty());
}

TEST_F(ImagePullerTest, RefusesNamesThatAreNone) {
  const ImageState state = ensure(make_pod("u", "App", "Always"));
  EXPECT_EQ(words(state),
            "InvalidImageName: Failed to apply default image tag \"App\": couldn't parse image "
            "name \"App\": invalid reference format: repository name (library/App) must be "
            "lowercase");
  EXPECT_EQ(state.again, Steady::max());
  EXPECT_EQ(events_of().front().substr(0, 21), "Warning InspectFailed");
}

TEST_F(ImagePullerTest, SaysWhenTheRuntimeDoesNotKnow) {
  runtime.fail_next("image", Status(Reason::kServiceUnavailable, "gone"));
  EXPECT_EQ(words(ensure(make_pod("u", "app", "IfNotPresent"))),
            "ImageInspectError: Failed to inspect image \"\": rpc error: code = Unavailable desc = "
            "gone");
}

TEST_F(ImagePullerTest, BacksOffAfterAFailure) {
  const PodPtr pod = make_pod("u", "app:1", "IfNotPresent");
  const std::string error =
      "rpc error: code = NotFound desc = failed to resolve reference \"app:1\"";
  EXPECT_EQ(words(ensure(pod)), "pulling");
  const ImageState failed = ensure(pod);
  EXPECT_EQ(words(failed), "ErrImagePull: " + error);
  EXPECT_EQ(failed.again, clock.steady() + 5s);
  clock.advance(5s);
  const ImageState waits = ensure(pod);
  EXPECT_EQ(words(waits),
            "ImagePullBackOff: Back-off pulling image \"app:1\": ErrImagePull: " + error);
  EXPECT_EQ(waits.again, clock.steady() + 5s);
  EXPECT_EQ(events_of(), (Lines{"Normal Pulling Pulling image \"app:1\"",
                                "Warning Failed Failed to pull image \"app:1\": " + error,
                                "Warning Failed Error: ErrImagePull",
                                "Normal BackOff Back-off pulling image \"app:1\"",
                                "Warning Failed Error: ImagePullBackOff"}));
  // Another pod does not wait for this one.
  EXPECT_EQ(words(ensure(make_pod("v", "app:1", "IfNotPresent"))), "pulling");
  clock.advance(5s);
  runtime.offer_image("app:1", image("sha256:1"));
  EXPECT_EQ(words(ensure(pod)), "pulling");
  EXPECT_EQ(words(ensure(pod)), "ready sha256:1");
}

TEST_F(ImagePullerTest, KnowsWhatRuntimesSayByAWord) {
  runtime.fail_next("pull_image",
                    http::grpc_status(http::GrpcCode::kUnknown, "RegistryUnavailable: no route"));
  const PodPtr pod = make_pod("u", "app:1", "Always");
  ensure(pod);
  EXPECT_EQ(words(ensure(pod)),
            "RegistryUnavailable: image pull failed for app:1 because the registry is unavailable: "
            "no route");
}

TEST_F(ImagePullerTest, WhatWasPulledWithASecretIsNotForAll) {
  runtime.offer_image("r.io/app:1", image("sha256:1"));
  secrets.objects["d/s"] = api::Object::make(
      R"({"metadata":{"name":"s","namespace":"d","uid":"1"},"type":"kubernetes.io/dockerconfigjson",)"
      R"("data":{".dockerconfigjson":")" +
      to_base64(R"({"auths":{"r.io":{"username":"u","password":"p"}}})") + R"("}})");
  const std::string with_secret = R"("imagePullSecrets":[{"name":"s"},{"name":"none"}],)";
  const PodPtr owner = make_pod("u", "r.io/app:1", "IfNotPresent", with_secret);
  EXPECT_EQ(words(ensure(owner)), "pulling");
  EXPECT_EQ(words(ensure(owner)), "ready sha256:1");
  EXPECT_EQ(events_of().front(),
            "Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets "
            "(none); attempting to pull the image may not succeed.");
  EXPECT_EQ(words(ensure(make_pod("w", "r.io/app:1", "Never"))).substr(0, 17), "ErrImageNeverPull");
  EXPECT_EQ(words(ensure(make_pod("v", "r.io/app:1", "Never", with_secret))), "ready sha256:1");
  const PodPtr stranger = make_pod("x", "r.io/app:1", "IfNotPresent");
  EXPECT_EQ(words(ensure(stranger)), "pulling");
}

TEST_F(ImagePullerTest, PullsImagesOfVolumesToo) {
  runtime.offer_image("app:1", image("sha256:1"));
  runtime.offer_image("data:1", image("sha256:2"));
  const PodPtr pod = make_pod("u", "app:1", "IfNotPresent");
  const VolumeImage data{.specified = "data:1", .pull_policy = "Always"};
  // A volume may have the name of a container.
  const auto ensure_volume = [&] {
    return words(puller->ensure_volume(pod, "web", data, sandbox));
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ensure_volume(), "pulling");
    EXPECT_EQ(ensure_volume(), "ready sha256:2");
  }
  EXPECT_EQ(events.take().front(), "Normal Pulling Pulling image \"data:1\"");
  EXPECT_EQ(words(ensure(pod)), "pulling");
  EXPECT_EQ(ensure_volume(), "pulling");
  EXPECT_EQ(words(ensure(pod)), "ready sha256:1");
  EXPECT_EQ(ensure_volume(), "ready sha256:2");
  EXPECT_EQ(changed, "u u u u ");
}

TEST_F(ImagePullerTest, LeavesErrorsOfVolumesToTheirContainers) {
  const PodPtr pod = make_pod("u", "app:1", "IfNotPresent");
  const auto ensure_volume = [&](const std::string& name, const std::string& policy) {
    return words(
        puller->ensure_volume(pod, "v", {.specified = name, .pull_policy = policy}, sandbox));
  };
  const std::string absent = "Container image \"data:1\" is not present with pull policy of Never";
  EXPECT_EQ(ensure_volume("data:1", "Never"), "ErrImageNeverPull: " + absent);
  EXPECT_EQ(events.take(), Lines{"Warning ErrImageNeverPull " + absent});
  EXPECT_EQ(ensure_volume("Data", "Always").substr(0, 17), "InvalidImageName:");
  EXPECT_EQ(events.take().front().substr(0, 21), "Warning InspectFailed");
  const std::string error =
      "rpc error: code = NotFound desc = failed to resolve reference \"data:1\"";
  EXPECT_EQ(ensure_volume("data:1", "IfNotPresent"), "pulling");
  EXPECT_EQ(ensure_volume("data:1", "IfNotPresent"), "ErrImagePull: " + error);
  clock.advance(5s);
  EXPECT_EQ(ensure_volume("data:1", "IfNotPresent"),
            "ImagePullBackOff: Back-off pulling image \"data:1\": ErrImagePull: " + error);
  EXPECT_EQ(events.take(), (Lines{"Normal Pulling Pulling image \"data:1\"",
                                  "Warning Failed Failed to pull image \"data:1\": " + error,
                                  "Normal BackOff Back-off pulling image \"data:1\""}));
  puller->forget(api::UidView("u"));
  EXPECT_EQ(ensure_volume("data:1", "IfNotPresent"), "pulling");
}

TEST_F(ImagePullerTest, ForgetsPods) {
  const PodPtr pod = make_pod("u", "app:1", "Always");
  ensure(pod);
  ensure(pod);
  EXPECT_EQ(words(ensure(pod)).substr(0, 16), "ImagePullBackOff");
  puller->forget(api::UidView("u"));
  EXPECT_EQ(words(ensure(pod)), "pulling");
}

}  // namespace
}  // namespace proa::kubelet
