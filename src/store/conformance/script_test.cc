// Runs the scripts of testdata/ on every implementation.
#include <charconv>
#include <filesystem>
#include <map>

#include "base/strings.h"
#include "store/conformance/implementations.h"
#include "testkit/golden.h"

namespace proa::store {
namespace script_test {

std::string text_of(Revision revision) { return std::to_string(revision.value); }

std::string text_of(const Entry& entry) {
  std::string text(entry.key());
  if (!entry.deleted()) text += "=" + std::string(entry.value());
  text += " mod=" + text_of(entry.mod_revision());
  if (entry.deleted()) return text + " deleted";
  return text + " create=" + text_of(entry.create_revision()) +
         " version=" + std::to_string(entry.version());
}

std::string text_of(const Status& status) {
  return "error " + std::string(reason_name(status.reason())) + ": " + status.message() + "\n";
}

// Commands, one a line, and what the store says to them:
//   put KEY VALUE [ttl=SECONDS] [stamp=POSITION] [lazy]   delete KEY   get KEY [at=N]   revision
//   range FROM TO|PREFIX* [at=N] [limit=N]            count PREFIX [at=N]
//   txn [lazy], then lines: if KEY N, put KEY VALUE, delete KEY
//   watch NAME PREFIX [exact] [from=N]   next NAME [max=N]    compact N   advance SECONDS   reopen
class Script {
 public:
  explicit Script(Fixture& fixture) : fixture_(fixture) {}

  std::string run(std::string_view command) {
    std::vector<std::string_view> lines = split(command, '\n');
    words_ = {};
    options_.clear();
    for (const std::string_view word : split(lines[0], ' ')) {
      const auto halves = split_once(word, '=');
      const bool option = halves && (halves->before == "at" || halves->before == "limit" ||
                                     halves->before == "from" || halves->before == "max" ||
                                     halves->before == "ttl" || halves->before == "stamp");
      if (option) {
        options_[std::string(halves->before)] = parse_int(halves->after).value_or(-1);
      } else if (word == "lazy" || word == "exact") {
        options_[std::string(word)] = 1;
      } else {
        words_.push_back(word);
      }
    }
    lines.erase(lines.begin());
    const std::string_view verb = words_[0];
    if (verb == "txn") return commit(lines);
    if (verb == "put" || verb == "delete") return commit({&split(command, '\n')[0], 1});
    if (verb == "get") return get();
    if (verb == "range") return range();
    if (verb == "count") return count();
    if (verb == "watch") return watch();
    if (verb == "next") return next();
    return other(verb);
  }

 private:
  int64_t option(const std::string& name) const {
    const auto found = options_.find(name);
    return found == options_.end() ? 0 : found->second;
  }
  Store& store() { return fixture_.store(); }

  std::string commit(std::span<const std::string_view> lines) {
    Txn txn;
    for (const std::string_view line : lines) {
      const std::vector<std::string_view> words = split(line, ' ');
      const Key key(words[1]);
      if (words[0] == "if") {
        txn.compares.push_back({key, {parse_int(words[2]).value_or(-1)}});
      } else if (words[0] == "delete") {
        txn.operations.push_back(Delete{key});
      } else {
        Put put{key, Bytes::copy_of(words[2]), std::nullopt};
        if (options_.contains("ttl")) put.ttl = std::chrono::seconds(option("ttl"));
        if (options_.contains("stamp")) put.stamp_at = static_cast<size_t>(option("stamp"));
        txn.operations.push_back(std::move(put));
      }
    }
    const Durability durability = option("lazy") != 0 ? Durability::kLazy : Durability::kSynced;
    const auto result = store().commit(std::move(txn), durability);
    if (!result.ok()) return text_of(result.status());
    std::string text = (result->succeeded ? "rev=" : "failed rev=") + text_of(result->revision);
    for (const EntryPtr& entry : result->entries) {
      if (!result->succeeded) text += "\n" + (entry == nullptr ? "nothing" : text_of(*entry));
    }
    return text + "\n";
  }

  std::string get() {
    const auto entry = store().get(words_[1], Revision{option("at")});
    if (!entry.ok()) return text_of(entry.status());
    return (*entry == nullptr ? "nothing" : text_of(**entry)) + "\n";
  }

  std::string range() {
    RangeQuery query{.revision = {option("at")}, .limit = static_cast<size_t>(option("limit"))};
    if (words_[1].ends_with('*')) {
      query.keys = KeyRange::prefix(words_[1].substr(0, words_[1].size() - 1));
    } else {
      query.keys = {Key(words_[1]), words_.size() > 2 ? Key(words_[2]) : Key()};
    }
    const auto result = store().range(query);
    if (!result.ok()) return text_of(result.status());
    std::string text = "rev=" + text_of(result->revision) + (result->more ? " more" : "") + "\n";
    for (const EntryPtr& entry : result->entries) text += text_of(*entry) + "\n";
    return text;
  }

  std::string count() {
    const auto result = store().count(KeyRange::prefix(words_[1]), Revision{option("at")});
    return result.ok() ? std::to_string(*result) + "\n" : text_of(result.status());
  }

  std::string watch() {
    auto made = store().watch({.prefix = std::string(words_[2]),
                               .exact = option("exact") != 0,
                               .from = {option("from")},
                               .wake = {}});
    if (!made.ok()) return text_of(made.status());
    watches_[std::string(words_[1])] = std::move(made).value();
    return "ok\n";
  }

  std::string next() {
    const auto batch = watches_[std::string(words_[1])]->next(
        options_.contains("max") ? static_cast<size_t>(option("max")) : 100);
    if (!batch.ok()) return text_of(batch.status());
    std::string text;
    for (const Event& event : batch->events) {
      text += event.entry->deleted() ? "DELETE " : event.is_create() ? "CREATE " : "PUT ";
      text += text_of(*event.entry);
      if (event.previous != nullptr) text += " before: " + std::string(event.previous->value());
      text += "\n";
    }
    return text + "progress=" + text_of(batch->progress) + "\n";
  }

  std::string other(std::string_view verb) {
    if (verb == "revision") return text_of(store().revision()) + "\n";
    if (verb == "compact") {
      const auto done = store().compact({parse_int(words_[1]).value_or(-1)});
      return done.ok() ? "ok\n" : text_of(done.status());
    }
    if (verb == "advance") {
      fixture_.advance(std::chrono::seconds(parse_int(words_[1]).value_or(0)));
      return "ok\n";
    }
    if (verb == "reopen") {
      watches_.clear();
      fixture_.reopen();
      return "ok\n";
    }
    return "unknown command\n";
  }

  Fixture& fixture_;
  std::vector<std::string_view> words_;
  std::map<std::string, int64_t> options_;
  std::map<std::string, std::unique_ptr<Watch>> watches_;
};

class StoreScript : public testing::TestWithParam<Implementation> {};

TEST_P(StoreScript, AnswersAsWritten) {
  if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "testdata";
  for (const char* name : {"commit.txt", "range.txt", "watch.txt", "history.txt", "expiry.txt"}) {
    SCOPED_TRACE(name);
    const auto fixture = GetParam().make({});
    Script script(*fixture);
    testkit::run_golden(folder / name,
                        [&](std::string_view command) { return script.run(command); });
  }
}

INSTANTIATE_TEST_SUITE_P(Implementations, StoreScript, testing::ValuesIn(implementations()),
                         implementation_name);

}  // namespace script_test
}  // namespace proa::store
