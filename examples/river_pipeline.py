"""A river pipeline: behind transformers, in ensembles, or straight from the stream.

Run: python examples/river_pipeline.py
"""

from __future__ import annotations

from river import compose, datasets, ensemble, evaluate, metrics, preprocessing

from streambayes.river import NaiveBayes


def main() -> None:
    models = {
        "as it comes": NaiveBayes(),
        "scaled": preprocessing.StandardScaler() | NaiveBayes(),
        "four attributes": compose.Select(
            "empty_server_form_handler", "popup_window", "https", "is_popular"
        )
        | NaiveBayes(),
        "bagged": ensemble.BaggingClassifier(NaiveBayes(), n_models=5, seed=1),
    }
    for name, model in models.items():
        metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
        print(f"{name:<16} {metric}")


if __name__ == "__main__":
    main()
