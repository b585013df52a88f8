#include "cli/host/rights.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace proa::cli {

Result<void> require_root(std::string_view action, std::string_view advice) {
  if (geteuid() == 0) return {};
  return Status(Reason::kForbidden, fmt::format("{} requires root; {}", action, advice));
}

Status with_rights_hint(const Status& failure, bool is_root) {
  const std::string& message = failure.message();
  const auto has = [&](const char* words) { return message.find(words) != std::string::npos; };
  const bool lacks_rights = has(std::strerror(EACCES)) || has(std::strerror(EPERM));
  // What has advice of its own needs no other.
  if (is_root || !lacks_rights || has("sudo")) return failure;
  return {failure.reason(), message + "; try sudo, or pass --data-dir for a cluster of your own"};
}

Result<void> require_private(const std::string& directory) {
  struct stat found = {};
  if (::stat(directory.c_str(), &found) != 0) {
    return Status(Reason::kInternalError, directory + ": " + std::strerror(errno));
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Status(Reason::kForbidden,
                  fmt::format("{0} can be written by other users (mode {1:04o}), who could replace "
                              "the cluster's keys; run: chmod go-w {0}",
                              directory, found.st_mode & 07777));
  }
  if (found.st_uid != 0 && found.st_uid != geteuid()) {
    return Status(Reason::kForbidden,
                  fmt::format("{0} belongs to another user (uid {1}), who could replace the "
                              "cluster's keys; run: chown {2} {0}",
                              directory, found.st_uid, geteuid()));
  }
  return {};
}

}  // namespace proa::cli
