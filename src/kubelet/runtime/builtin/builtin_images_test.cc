#include "kubelet/runtime/builtin/builtin_images.h"

#include <gtest/gtest.h>

#include <map>

#include "crypto/digest.h"
#include "json/parse.h"

namespace proa::kubelet {
namespace {

std::string digest_of(std::string_view content) {
  return "sha256:" + crypto::sha256(content).hex();
}

std::map<std::string, std::string> files_of(const std::string& tar) {
  std::map<std::string, std::string> files;
  for (size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0';) {
    const size_t size = std::stoul(tar.substr(at + 124, 11), nullptr, 8);
    files[tar.substr(at, 100).c_str()] = tar.substr(at + 512, size);
    at += 512 + (size + 511) / 512 * 512;
  }
  return files;
}

std::string blob(const std::map<std::string, std::string>& files, std::string_view digest) {
  const auto found = files.find("blobs/sha256/" + std::string(digest.substr(7)));
  return found == files.end() ? "" : found->second;
}

TEST(BuiltinImages, AreProgramsWithoutALibrary) {
  for (const BuiltinImage& image : builtin_images()) {
    SCOPED_TRACE(image.reference);
    EXPECT_EQ(image.program.substr(0, 4), "\177ELF");
    EXPECT_LT(image.program.size(), 20'000u);
    EXPECT_EQ(image.program.find("ld-linux"), std::string_view::npos);
  }
}

TEST(BuiltinImages, EveryBlobIsNamedByItsDigest) {
  const auto files = files_of(image_archive(builtin_images()));
  size_t blobs = 0;
  for (const auto& [name, content] : files) {
    if (!name.starts_with("blobs/sha256/")) continue;
    ++blobs;
    EXPECT_EQ("sha256:" + name.substr(13), digest_of(content)) << name;
  }
  EXPECT_EQ(blobs, 3 * builtin_images().size());
}

TEST(BuiltinImages, TheIndexLeadsToTheProgram) {
  const BuiltinImage& hello = builtin_images()[1];
  const auto files = files_of(image_archive({&hello, 1}));
  const auto index = json::parse(files.at("index.json"));
  ASSERT_TRUE(index.ok());
  const json::Value& entry = index->root().find("manifests")->items()[0];
  EXPECT_EQ(entry.find("annotations")->find("io.containerd.image.name")->as_string(),
            "docker.io/proa/hello:1");
  const auto manifest = json::parse(blob(files, entry.find("digest")->as_string()));
  ASSERT_TRUE(manifest.ok());
  const auto config_digest = manifest->root().find("config")->find("digest")->as_string();
  EXPECT_EQ(config_digest, builtin_image_id(hello));
  const auto config = json::parse(blob(files, config_digest));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->root().find("config")->find("User")->as_string(), "65534:65534");
  const json::Value& layer = manifest->root().find("layers")->items()[0];
  const auto root = files_of(blob(files, layer.find("digest")->as_string()));
  ASSERT_EQ(root.size(), 1u);
  EXPECT_EQ(root.at("hello"), hello.program);
}

TEST(BuiltinImages, AreTheSameEveryTime) {
  EXPECT_EQ(image_archive(builtin_images()), image_archive(builtin_images()));
}

}  // namespace
}  // namespace proa::kubelet
