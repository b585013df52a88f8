#include "kubelet/runtime/images/image_name.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

const std::string kSha = "sha256:" + std::string(64, 'a');

TEST(ParseImageName, FillsInRegistryAndTag) {
  struct Case {
    std::string image;
    std::string repository;
    std::string tag;
    std::string digest;
    std::string reference;
    std::string written;
  };
  const std::vector<Case> cases = {
      {"root", "docker.io/library/root", "latest", "", "root:latest", "root"},
      {"root:tag", "docker.io/library/root", "tag", "", "root:tag", "root"},
      {"root@" + kSha, "docker.io/library/root", "", kSha, "root@" + kSha, "root"},
      {"user/repo", "docker.io/user/repo", "latest", "", "user/repo:latest", "user/repo"},
      {"docker.io/x", "docker.io/library/x", "latest", "", "docker.io/x:latest", "docker.io/x"},
      {"index.docker.io/x", "docker.io/library/x", "latest", "", "index.docker.io/x:latest",
       "index.docker.io/x"},
      {"url:5000/repo", "url:5000/repo", "latest", "", "url:5000/repo:latest", "url:5000/repo"},
      {"url:5000/repo:t@" + kSha, "url:5000/repo", "t", kSha, "url:5000/repo:t@" + kSha,
       "url:5000/repo"},
      {"localhost/a/b_c.d--e:T.1", "localhost/a/b_c.d--e", "T.1", "", "localhost/a/b_c.d--e:T.1",
       "localhost/a/b_c.d--e"},
      {"[2001:db8::1]:5000/x", "[2001:db8::1]:5000/x", "latest", "", "[2001:db8::1]:5000/x:latest",
       "[2001:db8::1]:5000/x"},
      {"Upper.Example/x", "Upper.Example/x", "latest", "", "Upper.Example/x:latest",
       "Upper.Example/x"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.image);
    const auto name = parse_image_name(c.image);
    ASSERT_TRUE(name.ok()) << name.status().message();
    EXPECT_EQ(name->repository, c.repository);
    EXPECT_EQ(name->tag, c.tag);
    EXPECT_EQ(name->digest, c.digest);
    EXPECT_EQ(name->reference, c.reference);
    EXPECT_EQ(name->written_repository, c.written);
  }
}

TEST(ParseImageName, RefusesWhatIsNone) {
  const std::string hex(64, 'b');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "invalid reference format"},
      {":tag", "invalid reference format"},
      {"a:b:c", "invalid reference format"},
      {"a/b:c/d", "invalid reference format"},
      {"a//b", "invalid reference format"},
      {"-a", "invalid reference format"},
      {"a___b", "invalid reference format"},
      {"a b", "invalid reference format"},
      {"a:" + std::string(129, 't'), "invalid reference format"},
      {"a@sha256:short", "invalid reference format"},
      {"a@sha256:" + std::string(40, 'a'), "invalid checksum digest length"},
      {"a@sha256:" + std::string(64, 'A'), "invalid checksum digest format"},
      {"a@md5:" + std::string(32, 'a'), "unsupported digest algorithm"},
      {"Foo", "invalid reference format: repository name (library/Foo) must be lowercase"},
      {"x.io/Foo:t", "invalid reference format: repository name (Foo) must be lowercase"},
      {hex, "invalid repository name (" + hex + "), cannot specify 64-byte hexadecimal strings"},
      {"x.io/" + std::string(256, 'a'), "repository name must not be more than 255 characters"},
  };
  for (const auto& [image, why] : cases) {
    SCOPED_TRACE(image);
    const auto name = parse_image_name(image);
    ASSERT_FALSE(name.ok());
    EXPECT_EQ(name.status().message(), "couldn't parse image name \"" + image + "\": " + why);
  }
}

}  // namespace
}  // namespace proa::kubelet
