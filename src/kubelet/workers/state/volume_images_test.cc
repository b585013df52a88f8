#include "kubelet/workers/state/volume_images.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

class VolumeImagesTest : public testing::Test {
 protected:
  using Kind = ImageState::Kind;
  Kind find(const std::string& volume) {
    return images
        .find(volume,
              [this] {
                ++asked;
                return ImageState{.kind = next};
              })
        .kind;
  }

  VolumeImages images;
  Kind next = Kind::kReady;  // what the puller returns
  int asked = 0;
};

TEST_F(VolumeImagesTest, AreEnsuredOnceInAPass) {
  for (const Kind kind : {Kind::kPulling, Kind::kFailed, Kind::kReady}) {
    images.begin_pass();
    asked = 0;
    next = kind;
    EXPECT_EQ(find("v"), kind);
    EXPECT_EQ(find("v"), kind);
    EXPECT_EQ(asked, 1);
  }
}

TEST_F(VolumeImagesTest, AreKeptUntilTheyAreUsed) {
  EXPECT_EQ(find("v"), Kind::kReady);
  next = Kind::kPulling;
  images.begin_pass();
  EXPECT_EQ(find("v"), Kind::kReady);
  EXPECT_EQ(find("other"), Kind::kPulling);
  images.use("v");
  images.use("unknown");
  EXPECT_EQ(find("v"), Kind::kReady) << "for another container of the same pass";
  images.begin_pass();
  EXPECT_EQ(find("v"), Kind::kPulling);
}

}  // namespace
}  // namespace proa::kubelet
