#include "kubelet/runtime/containerd/image_import.h"

#include <gtest/gtest.h>

#include "kubelet/runtime/containerd/await_runtime.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"

namespace proa::kubelet {
namespace {

std::vector<std::string> missing_in(testkit::FakeRuntime& runtime) {
  std::vector<std::string> names;
  const auto missing = missing_images(runtime, builtin_images(), {});
  EXPECT_TRUE(missing.ok());
  for (const BuiltinImage& image : *missing) names.emplace_back(image.reference);
  return names;
}

void add(testkit::FakeRuntime& runtime, const BuiltinImage& image, const std::string& id) {
  cri::Image known;
  known.id = id;
  runtime.add_image(std::string(image.reference), known);
}

TEST(MissingImages, AreThoseThatAreNotThereOrAreOthers) {
  testkit::FakeClock clock;
  testkit::FakeRuntime runtime(clock);
  const auto images = builtin_images();
  EXPECT_EQ(missing_in(runtime).size(), images.size());
  add(runtime, images[0], builtin_image_id(images[0]));
  add(runtime, images[1], "sha256:of-an-earlier-proa");
  EXPECT_EQ(missing_in(runtime), std::vector<std::string>{"docker.io/proa/hello:1"});
  add(runtime, images[1], builtin_image_id(images[1]));
  EXPECT_TRUE(missing_in(runtime).empty());
}

TEST(AwaitRuntime, AsksUntilItAnswers) {
  SystemClock clock;
  testkit::FakeRuntime runtime(clock);
  const Status early(Reason::kServiceUnavailable, "server is not initialized yet");
  for (int i = 0; i < 3; ++i) runtime.fail_next("readiness", early);
  EXPECT_TRUE(await_runtime(runtime, clock, Until::after(clock, std::chrono::seconds(10))).ok());
}

TEST(AwaitRuntime, SaysWhatItWasToldLast) {
  SystemClock clock;
  testkit::FakeRuntime runtime(clock);
  runtime.fail_next("readiness", Status(Reason::kServiceUnavailable, "broken"));
  Until over;
  over.deadline = clock.steady();
  const auto waited = await_runtime(runtime, clock, over);
  ASSERT_FALSE(waited.ok());
  EXPECT_NE(waited.status().message().find("broken"), std::string::npos);
}

}  // namespace
}  // namespace proa::kubelet
