// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_delete.h"

#include "cli/command.h"
#include "core/bench/published.h"

#include <algorithm>

namespace vitrine::cli {

namespace {

bool isPublished(const QString& text) {
    const QList<bench::Campaign> sets = bench::publishedSets();
    return std::any_of(sets.begin(), sets.end(), [&text](const bench::Campaign& set) {
        return !text.isEmpty() && set.id.startsWith(text);
    });
}

} // namespace

Result<int> deleteCampaigns(const bench::CampaignStore& store,
                            const std::vector<std::string>& words) {
    QStringList identifiers;
    for (const std::string& word : words) {
        const QString text = toQString(word);
        const auto id = store.identifierOf(text);
        if (!id && id.error().kind == Error::Kind::NotFound && isPublished(text))
            return fail(Error::Kind::Unsupported,
                        Tr::tr("\"%1\" was published by others and comes with the program: it "
                               "cannot be deleted.")
                            .arg(text));
        if (!id)
            return fail(id.error());
        if (!identifiers.contains(*id))
            identifiers.append(*id);
    }
    // The one that is refused stands first, so that all stay.
    if (const auto claimed = store.claimed(); claimed && identifiers.removeOne(*claimed))
        identifiers.prepend(*claimed);
    for (const QString& id : std::as_const(identifiers))
        if (const auto discarded = store.discard(id); !discarded)
            return fail(discarded.error());
    return 0;
}

} // namespace vitrine::cli
