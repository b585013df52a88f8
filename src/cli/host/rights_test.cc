#include "cli/host/rights.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(RequirePrivate, RefusesWhatOthersMayWrite) {
  const testkit::TempDir folder;
  struct Case {
    mode_t mode;
    bool good;
  };
  for (const Case& c : {Case{0700, true}, Case{0755, true}, Case{0770, false}, Case{0702, false},
                        Case{01777, false}}) {
    SCOPED_TRACE(c.mode);
    ASSERT_EQ(chmod(folder.path().c_str(), c.mode), 0);
    EXPECT_EQ(require_private(folder.path()).ok(), c.good);
  }
  const auto refused = require_private(folder.path());
  EXPECT_TRUE(refused.is(Reason::kForbidden));
  EXPECT_NE(refused.status().message().find("(mode 1777)"), std::string::npos);
  EXPECT_NE(refused.status().message().find("chmod go-w " + folder.path()), std::string::npos);
  ASSERT_EQ(chmod(folder.path().c_str(), 0700), 0);
}

TEST(RequirePrivate, RefusesAnotherUsersDirectory) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const testkit::TempDir folder;
  ASSERT_EQ(chown(folder.path().c_str(), 12345, 0), 0);
  const auto refused = require_private(folder.path());
  EXPECT_TRUE(refused.is(Reason::kForbidden));
  EXPECT_NE(refused.status().message().find("uid 12345"), std::string::npos);
}

TEST(RightsHint, IsForThoseWhoLackThem) {
  const Status denied(Reason::kInternalError, "opening /d/store: Permission denied");
  EXPECT_EQ(with_rights_hint(denied, false).message(),
            "opening /d/store: Permission denied; try sudo, or pass --data-dir for a cluster of "
            "your own");
  EXPECT_EQ(with_rights_hint(denied, true).message(), denied.message());
  const Status other(Reason::kInternalError, "opening /d/store: No such file or directory");
  EXPECT_EQ(with_rights_hint(other, false).message(), other.message());
  const Status advised(Reason::kInternalError, "/d: Permission denied; use sudo or --data-dir");
  EXPECT_EQ(with_rights_hint(advised, false).message(), advised.message());
}

}  // namespace
}  // namespace proa::cli
