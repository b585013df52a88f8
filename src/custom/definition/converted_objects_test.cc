#include "custom/definition/converted_objects.h"

#include <gtest/gtest.h>

namespace proa::custom {
namespace {

api::ObjectPtr object_of_size(size_t size) { return api::Object::make(std::string(size, ' ')); }

TEST(ConvertedObjects, AreFoundByTextAndVersion) {
  ConvertedObjects objects;
  const std::string key = ConvertedObjects::key_of("{}", "v2");
  EXPECT_EQ(objects.find(key), nullptr);
  const api::ObjectPtr converted = object_of_size(10);
  objects.keep(key, converted);
  EXPECT_EQ(objects.find(key), converted);
  EXPECT_EQ(objects.find(ConvertedObjects::key_of("{}", "v1")), nullptr);
  EXPECT_EQ(objects.find(ConvertedObjects::key_of("{ }", "v2")), nullptr);
}

TEST(ConvertedObjects, DropsWhatWasNotUsedLongest) {
  ConvertedObjects objects;
  const size_t size = ConvertedObjects::kMostBytes / 8;
  for (int i = 0; i < 7; ++i) objects.keep(std::to_string(i), object_of_size(size));
  EXPECT_NE(objects.find("0"), nullptr);
  for (int i = 7; i < 10; ++i) objects.keep(std::to_string(i), object_of_size(size));
  EXPECT_NE(objects.find("0"), nullptr);
  EXPECT_EQ(objects.find("1"), nullptr);
  EXPECT_EQ(objects.find("2"), nullptr);
  EXPECT_NE(objects.find("9"), nullptr);
  // One that would fill it alone.
  objects.keep("large", object_of_size(ConvertedObjects::kMostBytes));
  EXPECT_EQ(objects.find("large"), nullptr);
  EXPECT_NE(objects.find("9"), nullptr);
}

}  // namespace
}  // namespace proa::custom
