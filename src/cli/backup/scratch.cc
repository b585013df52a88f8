#include "cli/backup/scratch.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "base/log.h"

namespace proa::cli {
namespace scratch {

const Log kLog("cli");
constexpr std::array<std::string_view, 2> kPrefixes = {"checkpoint-", "restore-"};
constexpr size_t kSuffix = 10;

void remove(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error)
    kLog.warn("removing a temporary directory failed",
              {{"path", path}, {"error", error.message()}});
}

}  // namespace scratch

ScratchDirectory::ScratchDirectory(const std::string& data_dir, Use use, Random& random)
    : name_(scratch::kPrefixes[static_cast<size_t>(use)]) {
  name_ += make_suffix(random, scratch::kSuffix);
  path_ = data_dir + "/" + name_;
}

ScratchDirectory::~ScratchDirectory() { scratch::remove(path_); }

Result<NewDirectory> NewDirectory::make(Files& files, const std::string& path) {
  std::vector<std::string> missing;
  for (std::filesystem::path one = path; one.has_relative_path(); one = one.parent_path()) {
    const bool there = TRY(files.exists(one.string()));
    if (there) break;
    missing.push_back(one.string());
  }
  TRY(files.make_dirs(path, 0700));
  return NewDirectory(std::move(missing));
}

NewDirectory::~NewDirectory() {
  for (const std::string& path : created_) ::rmdir(path.c_str());  // fails unless empty
}

Result<void> remove_scratch(Files& files, const std::string& data_dir) {
  for (const std::string& name : TRY(files.list(data_dir))) {
    for (const std::string_view prefix : scratch::kPrefixes) {
      if (!name.starts_with(prefix) || name.size() != prefix.size() + scratch::kSuffix) continue;
      scratch::kLog.info("removing temporary files of an interrupted backup", {{"name", name}});
      scratch::remove(data_dir + "/" + name);
    }
  }
  return {};
}

}  // namespace proa::cli
