// `holdfast dlq show` prints everything that is known of the dead letters that are named, those that are only
// history included. It tells how many of the names stand for nothing.
#include "holdfast/limits.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/json.h"
#include "tools/cli/views/dead_letter_text.h"

namespace holdfast::command {
namespace {

struct ShowArguments {
  std::string queue;
  FilterArguments letters;
  Redaction redact;
};

void show(CommandSession& session, const DeadLetter& letter, bool first) {
  if (session.json()) {
    session.print(to_json(letter, true));
    return;
  }
  if (!first) session.out() << '\n';
  for (const std::string& line : dead_letter_lines(letter, session.screen(), session.now()))
    session.out() << line << '\n';
}

Result<void> show_all(CommandSession& session, const ShowArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  DeadLetterFilter missing = arguments.letters.filter;
  missing.history = true;
  ListDeadLettersOptions options{
      .filter = missing, .max = limits::kListPage, .bodies = true, .redact = arguments.redact};
  std::uint64_t found = 0;
  do {
    auto page = (*broker)->list_dead_letters(arguments.queue, options);
    if (!page) return tl::unexpected(page.error());
    for (const DeadLetter& letter : page->items) {
      show(session, letter, found == 0);
      // The id of a message may name several dead letters.
      if (take_names(missing, letter)) ++found;
    }
    options.after = page->next;
  } while (options.after);
  return check_named(session, arguments.queue, found + missing.seqs.size() + missing.ids.size(), found);
}

}  // namespace

void add_dlq_show(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App& verb = add_verb(group, session, "show", "Show dead letters with everything that is known",
                            {"holdfast dlq show orders-dlq 17",
                             "holdfast dlq show orders-dlq 0193c2f4-7a3e-7c11-9f00-6d1f2b7f1a10 --redact"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  add_letters(verb, arguments->letters);
  verb.get_option("letter")->required();
  add_redaction(verb, arguments->redact);
  on_run(verb, session, [arguments](CommandSession& s) { return show_all(s, *arguments); });
}

}  // namespace holdfast::command
