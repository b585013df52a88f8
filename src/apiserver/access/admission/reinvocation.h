#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "json/print.h"

namespace proa::apiserver {

// Whether mutating admission of a request runs a second time, and who takes part: what a webhook or
// a policy changed may concern plugins that ran before it, and those webhooks and policies that
// wish to see it. For one request.
class Reinvocation {
 public:
  // Those of one plugin.
  class Party {
   public:
    // In the first round all run, in the second those that wish to, and that ran before a change.
    bool runs(const std::string& id, bool is_second_round) const {
      return !is_second_round || due_.contains(id);
    }
    void ran(const std::string& id) { ran_.insert(id); }
    void changed() { due_.merge(ran_); }

   private:
    friend class Reinvocation;
    std::set<std::string> ran_;  // and wish to see later changes
    std::set<std::string> due_;
    std::string last_;  // what the object was when the plugin ended, where `ran_` asks for it
  };

  bool is_second_round() const { return second_; }
  bool is_wanted() const { return wanted_; }
  void begin_second_round() { second_ = true; }

  Party& party(std::string_view plugin) { return parties_[std::string(plugin)]; }
  // One of them changed the object.
  void changed_by(Party& party) {
    party.changed();
    wanted_ = true;
  }
  // Around the work of a plugin: other plugins may have changed the object in between. It is
  // printed only for those that wish to know.
  void begin(Party& party, const json::Value& object) const {
    if (second_ && !party.ran_.empty() && party.last_ != json::print(object)) party.changed();
  }
  void end(Party& party, const json::Value& object) const {
    if (!second_ && !party.ran_.empty()) party.last_ = json::print(object);
  }

 private:
  bool second_ = false;
  bool wanted_ = false;
  std::map<std::string, Party> parties_;
};

}  // namespace proa::apiserver
