#include "cli/commands/images.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

using Names = std::vector<std::string>;

TEST(ImportedNames, AreInTheWordsOfEveryContainerd) {
  // 1.6 and 1.7.
  EXPECT_EQ(imported_names("unpacking docker.io/library/a:1 (sha256:0123)...done\n"
                           "unpacking registry:5000/b/c:2 (sha256:4567)...done\n"),
            (Names{"docker.io/library/a:1", "registry:5000/b/c:2"}));
  // 2: progress.
  EXPECT_EQ(imported_names("docker.io/library/a:1   saved\t\n"
                           "application/vnd.oci.image.index.v1+json sha256:0123\n"
                           "elapsed: 0.1 s total:   0.0 B (0.0 B/s)\n"
                           "docker.io/library/a:1   saved\n"),
            Names{"docker.io/library/a:1"});
  EXPECT_EQ(imported_names(""), Names{});
}

}  // namespace
}  // namespace proa::cli
