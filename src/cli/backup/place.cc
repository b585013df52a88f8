#include "cli/backup/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/strings.h"
#include "cli/backup/control.h"
#include "cli/backup/manifest.h"
#include "cli/backup/sync.h"
#include "cli/backup/volumes.h"
#include "store/rocks/directory.h"

namespace proa::cli {
namespace place {

struct Move {
  std::string from;
  std::string to;
};

Result<std::vector<std::string_view>> parts_in(Files& files, const std::string& directory) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : kPartsOfACluster) {
    const bool there = TRY(files.exists(directory + "/" + std::string(part)));
    if (there) parts.push_back(part);
  }
  return parts;
}

// Rolls back on failure.
Result<void> carry_out(const std::vector<Move>& moves) {
  for (size_t i = 0; i < moves.size(); ++i) {
    if (std::rename(moves[i].from.c_str(), moves[i].to.c_str()) == 0) continue;
    const Status failed =
        errno_status(fmt::format("moving {} to {}", moves[i].from, moves[i].to), errno);
    while (i-- > 0) {
      if (std::rename(moves[i].to.c_str(), moves[i].from.c_str()) == 0) continue;
      return failed.in(moves[i].from + " is now at " + moves[i].to);
    }
    return failed;
  }
  return {};
}

// "20260102T150405Z": without characters that are awkward in file names.
std::string stamp(Time now) {
  std::string text = format_time(now);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

// Opens and locks the existing store, if no other process has it. Nullopt if it is too damaged to
// open, which may be the reason for the restore.
Result<std::optional<store::StoreDirectory>> lock_store(const std::string& path) {
  SystemRandom unused;
  auto opened = store::StoreDirectory::open(path, store::StoreDirectory::Missing::kRefuse, unused);
  if (opened.ok()) return std::optional<store::StoreDirectory>(std::move(*opened));
  if (opened.is(Reason::kConflict)) return opened.status();
  return std::optional<store::StoreDirectory>();
}

struct Plan {
  const Time now;
  std::vector<Move> moves = {};
  std::vector<std::string> aside = {};  // where old parts go

  void move_aside(const std::string& path) {
    aside.push_back(path + ".before-restore-" + stamp(now));
    moves.push_back({path, aside.back()});
  }
};

// Volumes are only touched by a backup that has some: data on this node fits to restored objects,
// too.
Result<void> add_storage(Files& files, const std::string& directory, const std::string& data_dir,
                         WhatIsThere there, Plan& plan) {
  const std::string path = data_dir + "/" + std::string(kStorageName);
  const std::string fresh = directory + "/" + std::string(kStorageName);
  const bool restores = TRY(files.exists(fresh));
  if (!restores) return {};
  const bool exists = TRY(files.exists(path));
  if (exists && there == WhatIsThere::kRefuse) {
    return Status(Reason::kAlreadyExists,
                  path + " already contains volumes; add --force to move them aside");
  }
  if (exists) plan.move_aside(path);
  plan.moves.push_back({fresh, path});
  return {};
}

}  // namespace place

Result<void> check_destination(Files& files, const std::string& data_dir, WhatIsThere there) {
  const bool exists = TRY(files.exists(data_dir));
  if (!exists) return {};
  const ControlPath control = TRY(ControlPath::open(data_dir));
  const bool runs = TRY(control.answers());
  if (runs) {
    return Status(Reason::kConflict, "a server is running in " + data_dir + "; stop it first");
  }
  const std::vector<std::string_view> parts = TRY(place::parts_in(files, data_dir));
  if (parts.empty() || there == WhatIsThere::kMoveAside) return {};
  return Status(Reason::kAlreadyExists,
                fmt::format("{} already contains a cluster ({}); choose another directory with "
                            "--data-dir, or add --force to move the existing data aside",
                            data_dir, join(parts, ", ")));
}

Result<std::vector<std::string>> put_in_place(Files& files, const std::string& directory,
                                              const std::string& data_dir, WhatIsThere there,
                                              Time now) {
  // Checked again: unpacking took a while.
  TRY(check_destination(files, data_dir, there));
  std::vector<std::string_view> old = TRY(place::parts_in(files, data_dir));
  const auto locked = TRY(place::lock_store(data_dir + "/store"));
  // The store is moved away first and in last: a cluster with a store is complete.
  std::reverse(old.begin(), old.end());
  place::Plan plan{.now = now};
  for (const std::string_view part : old) plan.move_aside(data_dir + "/" + std::string(part));
  TRY(place::add_storage(files, directory, data_dir, there, plan));
  for (const std::string_view part : TRY(place::parts_in(files, directory))) {
    plan.moves.push_back({directory + "/" + std::string(part), data_dir + "/" + std::string(part)});
  }
  TRY(place::carry_out(plan.moves));
  TRY(sync_directory(data_dir));
  return std::move(plan.aside);
}

}  // namespace proa::cli
