#include "controllers/storage/attach/attach_key.h"

#include <gtest/gtest.h>

namespace proa::controllers::storage {
namespace {

TEST(AttachKey, SurvivesTheQueue) {
  for (const AttachKey& key : {AttachKey::volume("data"), AttachKey::node(api::NodeName("data"))}) {
    EXPECT_EQ(AttachKey::from_queue_key(key.queue_key()), key);
  }
}

TEST(AttachKey, DiffersBetweenAVolumeAndANodeOfTheSameName) {
  EXPECT_NE(AttachKey::volume("data").queue_key(),
            AttachKey::node(api::NodeName("data")).queue_key());
}

}  // namespace
}  // namespace proa::controllers::storage
